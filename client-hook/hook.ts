import { ANONYMOUS } from './download.ts'
import { integrityOf, loadPart, type Part } from './load-part.ts'
import { runningScript } from './script-element.ts'
import { type Hook, MARK, startHook } from './start-hook.ts'

// The build puts the names and hashes of the other files here.
declare const SHOW_PART: Part
declare const BROTLI_PART: Part
declare const IPFS_PART: Part
declare const INSECURE_PART: Part
declare const LAZY_PART: Part

function start({ dataset, src, nonce }: HTMLScriptElement): void {
  const base = new URL(dataset.baseUrl ?? new URL(src).origin, location.href).href.replace(/\/+$/, '')
  const part =
    <Exports>(one: Part) =>
    () =>
      loadPart<Exports>(base, one, nonce)
  const { hook, prepareDocument } = startHook(
    base,
    {
      show: part(SHOW_PART),
      ipfs: part(IPFS_PART),
      lazy: part(LAZY_PART),
      insecure: part(INSECURE_PART),
      brotli: () => fetch(base + BROTLI_PART.path, { ...ANONYMOUS, integrity: integrityOf(BROTLI_PART) }),
    },
    (name, detail) =>
      EventTarget.prototype.dispatchEvent.call(document, new CustomEvent(name, { detail, bubbles: true })),
    dataset.node === 'page',
  )
  Object.defineProperty(window, 'hook', { value: hook satisfies Hook, enumerable: true })
  prepareDocument().catch(console.warn)
}

const script = runningScript()
const present: unknown = Object.hasOwn(window, 'hook') ? Reflect.get(window, 'hook') : undefined
if (!(typeof present === 'function' && MARK in present)) {
  if (script) start(script)
  else console.error('hook.js needs a script element with src, not a module.')
}
