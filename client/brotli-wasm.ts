import { initSync } from 'brotli-dec-wasm/web'
// The bytes, or where the runtime compiles them before it starts (workerd) the module.
import wasm from 'brotli-dec-wasm/web/bg.wasm'
import type { DecodeBrotli } from '../reader/brotli/decode-content.ts'
import { decodeWithWasm } from '../reader/brotli/decode-with-wasm.ts'

/** The Brotli decoder in WebAssembly, for runtimes that have none. */
export async function startWasm(): Promise<DecodeBrotli> {
  // Browsers compile no more than a few KB on the page's own thread unless asked to do it beside.
  initSync({ module: wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm) })
  return decodeWithWasm
}
