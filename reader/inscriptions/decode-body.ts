import type { DecodeBrotli } from '../brotli/decode-content.ts'
import { readWhole } from '../read-whole.ts'
import { ReaderError } from '../reader-error.ts'

/**
 * A body without its content coding (in lower case); `undefined` for a coding that is not decoded here.
 * @throws {ReaderError} `unsupported` for what does not decode; `too_large` above `maxBytes`
 */
export async function decodeBody(
  body: Uint8Array<ArrayBuffer>,
  encoding: string | undefined,
  maxBytes: number,
  decodeBrotli: DecodeBrotli,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (encoding === undefined || encoding === 'identity') return body
  if (encoding === 'br') {
    const decoded = await decodeBrotli(body, maxBytes)
    if (decoded === 'too large') throw tooLarge(maxBytes)
    return decoded ?? notDecoded()
  }
  return encoding === 'gzip' ? await gunzip(body, maxBytes) : undefined
}

async function gunzip(body: Uint8Array<ArrayBuffer>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([body]).stream().pipeThrough(new DecompressionStream('gzip'))
  const reader = stream.getReader()
  async function* parts() {
    let length = 0
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      yield next.value
    }
  }
  try {
    return await readWhole(parts())
  } catch (cause) {
    if (cause instanceof ReaderError) throw cause
    return notDecoded(cause)
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function notDecoded(cause?: unknown): never {
  throw new ReaderError(
    'unsupported',
    'The content is not what its content coding says, so it cannot be decoded.',
    cause,
  )
}

function tooLarge(maxBytes: number): ReaderError {
  return new ReaderError('too_large', `The content decodes to more than ${maxBytes} bytes.`)
}
