import { concatBytes } from '../../../protocol/bytes.ts'
import type { TakeMemory } from '../../platform/flow/memory-budget.ts'
import { AppError } from '../../platform/http/errors.ts'
import { decodeSteps } from '../chain/brotli.ts'
import { NotBrotliError } from '../chain/brotli-decoder.ts'

/**
 * A body without its content coding; `undefined` for a coding that is not decoded here.
 * @throws {AppError} 422 for what does not decode, or to more than `maxBytes`; 503
 */
export async function decodeNamed(
  body: Uint8Array<ArrayBuffer>,
  encoding: string,
  maxBytes: number,
  take: TakeMemory,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  switch (encoding) {
    case 'br':
      return await withinLimit(decodeSteps([body], take), maxBytes)
    case 'gzip':
      return await withinLimit(gunzip(body), maxBytes)
    default:
      return undefined
  }
}

async function withinLimit(
  steps: AsyncGenerator<Uint8Array, boolean | undefined>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { value, done } = await steps.next()
      if (done) {
        if (value === false) throw badEncoding()
        return concatBytes(parts)
      }
      length += value.length
      if (length > maxBytes) {
        throw new AppError(422, 'content_too_large', 'The content decodes to more than this service serves.')
      }
      // What a decoder gives may be overwritten by its next step.
      parts.push(value.slice())
    }
  } catch (error) {
    if (error instanceof NotBrotliError || error instanceof TypeError) throw badEncoding()
    throw error
  } finally {
    await steps.return(undefined)
  }
}

async function* gunzip(body: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array, undefined> {
  const stream = new Blob([body]).stream().pipeThrough(new DecompressionStream('gzip'))
  for await (const part of stream) yield part
}

function badEncoding(): AppError {
  return new AppError(422, 'bad_encoding', 'The content is not what its content coding says, so it cannot be decoded.')
}
