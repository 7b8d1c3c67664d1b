import { initSync } from 'brotli-dec-wasm/web'
import type { DecodeBrotli } from '../../reader/brotli/decode-content.ts'
import { decodeWithWasm } from '../../reader/brotli/decode-with-wasm.ts'

/** Hash of the decoder's file (Subresource Integrity); set by the build. */
declare const BROTLI_INTEGRITY: string

/**
 * The Brotli decoder of browsers that have none: `brotli.wasm`, beside the worker's own file.
 * @throws {TypeError} if it is not there, or is another one
 */
export async function startWasm(): Promise<DecodeBrotli> {
  const file = await fetch(new URL('brotli.wasm', location.href), { integrity: BROTLI_INTEGRITY })
  initSync({ module: await WebAssembly.compile(await file.arrayBuffer()) })
  return decodeWithWasm
}
