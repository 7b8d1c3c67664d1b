import { ANONYMOUS } from './download.ts'
import { firstHost } from './first-host.ts'
import { GATEWAYS_RULE, parseGateways } from './gateways.ts'
import { integrityOf, loadPart, type Part } from './load-part.ts'
import { runningScript } from './script-element.ts'
import { type Hook, MARK, startHook } from './start-hook.ts'

// The build puts the names and hashes of the other files here.
declare const SHOW_PART: Part
declare const BROTLI_PART: Part
declare const IPFS_PART: Part
declare const INSECURE_PART: Part
declare const LAZY_PART: Part
declare const SOURCES_PART: Part

function start({ dataset, src, nonce }: HTMLScriptElement): void {
  const base = new URL(dataset.baseUrl ?? new URL(src).origin, location.href).href.replace(/\/+$/, '')
  const gateways = parseGateways(dataset.gateways ?? '')
  if (!gateways) console.error(`data-gateways of hook.js ${GATEWAYS_RULE}.`)
  const hosts = [base, ...(gateways ?? [])]
  const part =
    <Exports>(one: Part) =>
    () =>
      firstHost(hosts, (host) => loadPart<Exports>(host, one, nonce))
  const { hook, prepareDocument } = startHook(
    base,
    {
      show: part(SHOW_PART),
      ipfs: part(IPFS_PART),
      lazy: part(LAZY_PART),
      insecure: part(INSECURE_PART),
      sources: part(SOURCES_PART),
      brotli: () =>
        firstHost(hosts, (host) =>
          fetch(host + BROTLI_PART.path, { ...ANONYMOUS, integrity: integrityOf(BROTLI_PART) }),
        ),
    },
    (name, detail) =>
      EventTarget.prototype.dispatchEvent.call(document, new CustomEvent(name, { detail, bubbles: true })),
    dataset.node === 'page',
    gateways,
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
