import { initSync } from 'brotli-dec-wasm/web'
// The bytes, or the compiled module where the runtime compiles it at build time (workerd).
import wasm from 'brotli-dec-wasm/web/bg.wasm'
import type { DecodeBrotli } from '../reader/brotli/decode-content.ts'
import { decodeWithWasm } from '../reader/brotli/decode-with-wasm.ts'

/** The Brotli decoder in WebAssembly, for runtimes that have none. */
export async function startWasm(): Promise<DecodeBrotli> {
  // Browsers refuse to compile more than a few KB synchronously on the main thread.
  initSync({ module: wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm) })
  return decodeWithWasm
}
