import type { FramesPart, NamedPart, ProofPart, StreamsPart } from '../client-hook/part-tools.ts'
import type { HookParts } from '../client-hook/start-hook.ts'
import type { Work } from '../reader/proof/check-headers.ts'
import { HooklineError } from './http/api-error.ts'

/** By the names that other parts load them by. */
const NAMED = {
  proof: async () => (await import('../client-hook/proof/part.ts')).part,
  named: async () => (await import('../client-hook/named/part.ts')).part,
  frames: async () => (await import('../client-hook/frames/part.ts')).part,
  streams: async () => (await import('../client-hook/streams/part.ts')).part,
  site: async () => (await import('../client-hook/site/part.ts')).part,
  scrypt: async () => (await import('../client-hook/scrypt/part.ts')).part,
}

function part(name: 'proof'): () => Promise<ProofPart>
function part(name: 'named'): () => Promise<NamedPart>
function part(name: 'frames'): () => Promise<FramesPart>
function part(name: 'streams'): () => Promise<StreamsPart>
function part(name: 'site'): () => Promise<string>
function part(name: 'scrypt'): () => Promise<Work | undefined>
function part(name: keyof typeof NAMED): () => Promise<unknown> {
  return NAMED[name]
}

/** The parts that the page helper loads on demand: files of this package, as dynamic imports. */
export const PARTS: HookParts = {
  show: async () => (await import('../client-hook/show/part.ts')).part,
  ipfs: async () => (await import('../client-hook/ipfs/part.ts')).part,
  lazy: async () => (await import('../client-hook/lazy/part.ts')).part,
  index: async () => (await import('../client-hook/index/part.ts')).part,
  insecure: async () => (await import('../client-hook/insecure/part.ts')).part,
  sources: async () => (await import('../client-hook/sources/part.ts')).part,
  part,
  // No script tag loaded it.
  dataset: {},
  brotli: async () => {
    const { default: wasm } = await import('brotli-dec-wasm/web/bg.wasm')
    if (wasm instanceof WebAssembly.Module)
      throw new HooklineError('part_failed', 'This build of the library is for Workers, not for pages.')
    return new Response(wasm, { headers: { 'Content-Type': 'application/wasm' } })
  },
}

/**
 * The address without a trailing slash.
 * @throws {HooklineError}
 */
export function parseBase(api: string | URL): string {
  if (!URL.canParse(String(api))) {
    throw new HooklineError('invalid_option', `api must be an address, not ${String(api)}.`)
  }
  return String(api).replace(/\/+$/, '')
}
