import { initSync } from 'brotli-dec-wasm/web'
import { type DecodeBrotli, decodeContent } from '../../reader/brotli/decode-content.ts'
import { decodeWithStream } from '../../reader/brotli/decode-with-stream.ts'
import { decodeWithWasm } from '../../reader/brotli/decode-with-wasm.ts'
import type { PartTools } from '../part-tools.ts'
import { isNeverBrotli } from './never-brotli.ts'

/** Decodes content; `wasm` loads the decoder for browsers that have none. */
export class Decoder {
  readonly #tools: PartTools
  readonly #wasm: (() => Promise<Response>) | undefined
  #started: Promise<DecodeBrotli> | undefined

  constructor(tools: PartTools, wasm: (() => Promise<Response>) | undefined) {
    this.#tools = tools
    this.#wasm = wasm
  }

  /**
   * Content as its author stored it.
   * @throws {ReaderError} if the content exceeds the limit, or if no decoder can be loaded
   */
  async decode(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    if (isNeverBrotli(bytes)) return bytes
    return decodeContent(bytes, (stored, maxBytes) => this.decodeBrotli(stored, maxBytes))
  }

  /**
   * One complete Brotli stream, decoded.
   * @throws {ReaderError} if no decoder can be loaded
   */
  async decodeBrotli(bytes: Uint8Array<ArrayBuffer>, maxBytes: number): ReturnType<DecodeBrotli> {
    if (!this.#wasm) return decodeWithStream(bytes, maxBytes)
    this.#started ??= this.#start(this.#wasm).catch((error) => {
      this.#started = undefined
      throw error
    })
    return (await this.#started)(bytes, maxBytes)
  }

  async #start(wasm: () => Promise<Response>): Promise<DecodeBrotli> {
    const { fail, explainRefusal } = this.#tools
    let refused: [string, string] = ['', 'connect-src']
    try {
      const response = (await wasm()).clone()
      refused = ['wasm-eval', 'script-src']
      initSync({ module: await WebAssembly.compileStreaming(response) })
      return decodeWithWasm
    } catch (cause) {
      throw await explainRefusal(fail('part_failed', 'The Brotli decoder could not be loaded.', cause), ...refused)
    }
  }
}
