import { BrotliDecStream } from 'brotli-dec-wasm/web'
import { concatBytes } from '../../protocol/bytes.ts'
import type { DecodeBrotli } from './decode-content.ts'

const STEP = 1 << 18
/** The decoder's result codes; its own table of them is not in bundles. */
const DONE = 1
const NEEDS_INPUT = 2

/** Decodes with `brotli-dec-wasm`, which must have been started (`initSync`). */
export const decodeWithWasm: DecodeBrotli = async (bytes, maxBytes) => {
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
      if (size > maxBytes) return 'too large'
      if (code === DONE) return offset === bytes.length ? concatBytes(output) : undefined
      if (code === NEEDS_INPUT) return undefined
    }
  } catch {
    return undefined
  } finally {
    stream.free()
  }
}
