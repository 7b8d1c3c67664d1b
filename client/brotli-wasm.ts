import init from 'brotli-dec-wasm/web'
// The bytes, or where the runtime compiles them before it starts (workerd) the module.
import wasm from 'brotli-dec-wasm/web/bg.wasm'
import type { DecodeBrotli } from '../reader/brotli/decode-content.ts'
import { decodeWithWasm } from '../reader/brotli/decode-with-wasm.ts'

/** The Brotli decoder in WebAssembly, for runtimes that have none. */
export async function startWasm(): Promise<DecodeBrotli> {
  await init({ module_or_path: wasm })
  return decodeWithWasm
}
