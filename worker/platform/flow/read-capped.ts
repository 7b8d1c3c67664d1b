import { concatBytes } from '../../../protocol/bytes.ts'

/** A request or a response. */
export type Message = Pick<Response, 'headers' | 'body' | 'arrayBuffer'>

/**
 * The whole body of a request or response, counted while it is read. The caller decides by which error a longer one
 * fails: a client's is a 413, a resolver's is not.
 * @throws what `tooLong` returns, beyond `maxBytes`; nothing more is read then.
 */
export async function readCapped(
  message: Message,
  maxBytes: number,
  tooLong: () => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  const { headers, body } = message
  if (!body) return new Uint8Array(0)
  const declared = headers.get('Content-Length')
  if (declared !== null && Number(declared) > maxBytes) {
    await body.cancel()
    throw tooLong()
  }
  // HTTP ensures the declared length, unless it is that of a compressed body; one read costs a fraction of many.
  if (declared !== null && !headers.has('Content-Encoding')) return within(await message.arrayBuffer())
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body) {
    length += part.byteLength
    if (length > maxBytes) throw tooLong()
    parts.push(part)
  }
  return concatBytes(parts)

  function within(buffer: ArrayBuffer): Uint8Array<ArrayBuffer> {
    if (buffer.byteLength > maxBytes) throw tooLong()
    return new Uint8Array(buffer)
  }
}
