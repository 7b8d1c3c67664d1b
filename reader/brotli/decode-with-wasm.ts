import { BrotliDecStream } from 'brotli-dec-wasm/web'
import { concatBytes } from '../../protocol/bytes.ts'
import type { DecodeBrotli } from './decode-content.ts'

const STEP = 1 << 18
/** The decoder's result codes; its own table of them is not in bundles. */
const DONE = 1
/** Its output is not whole; below it, the input has ended. */
const MORE = 3

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
      if (code < MORE) return code === DONE && offset === bytes.length ? concatBytes(output) : undefined
      // In one go 12 MB block a page for 90 to 120 ms.
      await globalThis.scheduler?.yield?.()
    }
  } catch {
    return undefined
  } finally {
    stream.free()
  }
}
