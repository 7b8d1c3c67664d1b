import { BrotliDecStream, initSync } from 'brotli-dec-wasm/web'
import { concatBytes } from '../../protocol/bytes.ts'
import type { PartTools } from '../part-tools.ts'

/** Most bytes that content may decode to: what the API allows by default. 51 bytes of Brotli can hold 50 MiB. */
const LIMIT = 32 << 20
const STEP = 1 << 18
/** The decoder's result codes; its own table of them is kept out of the bundle. */
const DONE = 1
const NEEDS_INPUT = 2

type Outcome = Uint8Array | 'too large' | undefined

/** Decodes content; `wasm` is the decoder for browsers without one of their own. */
export class Decoder {
  readonly #tools: PartTools
  readonly #wasm: (() => Promise<Response>) | undefined
  #started: Promise<unknown> | undefined

  constructor(tools: PartTools, wasm: (() => Promise<Response>) | undefined) {
    this.#tools = tools
    this.#wasm = wasm
  }

  /**
   * Content as its author meant it: decoded, or the bytes themselves when they are not one whole Brotli stream that
   * decodes to something: the API's own rule.
   * @throws {HookError} for content beyond the limit, or when the decoder can't be had.
   */
  async decode(bytes: Uint8Array): Promise<Uint8Array> {
    let outcome: Outcome
    if (this.#wasm) {
      this.#started ??= this.#start(this.#wasm).catch((error) => {
        this.#started = undefined
        throw error
      })
      await this.#started
      outcome = decodeWithWasm(bytes)
    } else outcome = await decodeNatively(bytes)
    if (outcome === 'too large') throw this.#tools.fail('too_large', `The content decodes to more than ${LIMIT} bytes.`)
    return outcome ?? bytes
  }

  async #start(wasm: () => Promise<Response>): Promise<void> {
    const { fail, explainRefusal } = this.#tools
    let response: Response
    try {
      response = (await wasm()).clone()
    } catch (cause) {
      throw await explainRefusal(
        fail('part_failed', 'The Brotli decoder could not be loaded.', cause),
        '',
        'connect-src',
      )
    }
    try {
      initSync({ module: await WebAssembly.compileStreaming(response) })
    } catch (cause) {
      const failure = fail('part_failed', 'The Brotli decoder could not be started.', cause)
      throw await explainRefusal(failure, 'wasm-eval', 'script-src')
    }
  }
}

function decodeWithWasm(bytes: Uint8Array): Outcome {
  const stream = new BrotliDecStream()
  const output: Uint8Array[] = []
  let offset = 0
  let size = 0
  try {
    for (;;) {
      const { buf, code, input_offset } = stream.dec(bytes.subarray(offset), STEP)
      output.push(buf)
      offset += input_offset
      size += buf.length
      if (size > LIMIT) return 'too large'
      if (code === DONE) return size > 0 && offset === bytes.length ? concatBytes(output) : undefined
      if (code === NEEDS_INPUT) return undefined
    }
  } catch {
    return undefined
  } finally {
    stream.free()
  }
}

async function decodeNatively(bytes: Uint8Array): Promise<Outcome> {
  // lib.dom does not list the format yet.
  const stream: TransformStream<Uint8Array, Uint8Array> = Reflect.construct(DecompressionStream, ['brotli'])
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = new Blob([bytes.slice()]).stream().pipeThrough(stream).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return size > 0 ? concatBytes(chunks) : undefined
      chunks.push(value)
      size += value.length
      if (size > LIMIT) return 'too large'
    }
  } catch {
    return undefined
  } finally {
    reader.cancel().catch(() => {})
  }
}
