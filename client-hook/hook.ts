import { defineStub } from './content-stub.ts'
import { ANONYMOUS } from './download.ts'
import { firstHost } from './first-host.ts'
import { parseGateways } from './gateways.ts'
import { partOf } from './hashed-part.ts'
import { loadPart } from './load-part.ts'
import { MARK } from './mark.ts'
import { runningScript } from './script-element.ts'
import { type Hook, startHook } from './start-hook.ts'

// The build inserts the SHA-256 of the other files here, in base64.
declare const SHOW_PART: string
declare const BROTLI_PART: string
declare const IPFS_PART: string
declare const INSECURE_PART: string
declare const LAZY_PART: string
declare const INDEX_PART: string
declare const SOURCES_PART: string

function start({ dataset, src, nonce }: HTMLScriptElement): void {
  const base = new URL(dataset.baseUrl ?? new URL(src).origin, location.href).href.replace(/\/+$/, '')
  const gateways = parseGateways(dataset.gateways ?? '')
  if (!gateways) console.error('data-gateways')
  const hosts = [base, ...(gateways ?? [])]
  const part =
    <Exports>(name: string, sha256: string) =>
    () =>
      firstHost(hosts, (host) => loadPart<Exports>(host, partOf(name, 'js', sha256), nonce))
  const decoder = partOf('brotli', 'wasm', BROTLI_PART)
  const { hook, changed, prepareDocument } = startHook(
    base,
    {
      part,
      dataset,
      show: part('show', SHOW_PART),
      ipfs: part('ipfs', IPFS_PART),
      lazy: part('lazy', LAZY_PART),
      index: part('index', INDEX_PART),
      insecure: part('insecure', INSECURE_PART),
      sources: part('sources', SOURCES_PART),
      brotli: () =>
        firstHost(hosts, (host) => fetch(host + decoder.path, { ...ANONYMOUS, integrity: decoder.integrity })),
    },
    (name, detail) =>
      EventTarget.prototype.dispatchEvent.call(document, new CustomEvent(name, { detail, bubbles: true })),
    dataset.node === 'page',
    gateways,
  )
  Object.defineProperty(window, 'hook', { value: hook satisfies Hook, enumerable: true })
  defineStub(changed)
  prepareDocument('watch' in dataset).catch(console.warn)
}

const script = runningScript()
const present: unknown = Object.hasOwn(window, 'hook') ? Reflect.get(window, 'hook') : undefined
if (!(typeof present === 'function' && MARK in present)) {
  if (script) start(script)
  else console.error('No module')
}
