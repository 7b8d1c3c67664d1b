import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { constants, createBrotliCompress } from 'node:zlib'

const STEP = 1 << 20

/** Brotli that decodes to so many zeros: 51 bytes for 32 MiB, some 1,300 for 800 MiB. */
export async function brotliOfZeros(length: number): Promise<Uint8Array> {
  const zeros = new Uint8Array(STEP)
  function* steps(): Generator<Uint8Array, undefined> {
    for (let at = 0; at < length; at += STEP) yield zeros.subarray(0, Math.min(STEP, length - at))
    return undefined
  }
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 }
  return await buffer(Readable.from(steps()).pipe(createBrotliCompress({ params })))
}
