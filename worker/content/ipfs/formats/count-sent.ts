import { concatBytes } from '../../../../protocol/bytes.ts'
import type { Budget } from '../../../platform/flow/budget.ts'
import type { Representation } from '../../../platform/http/respond.ts'

/** Fewer bytes than this are not sent alone: a write costs more than reading a small block. */
const MIN_WRITE_BYTES = 32 * 1024

/** A representation whose bytes are counted as they are sent, and which leaves its turn to others meanwhile. */
export function countSent(representation: Representation | Response, budget: Budget): Representation | Response {
  if (representation instanceof Response) return representation
  const { body } = representation
  if (body instanceof Uint8Array) return representation
  if (body.kind === 'stream') return { ...representation, body: { ...body, read: () => counted(body.read(), budget) } }
  return { ...representation, body: { ...body, read: (range) => counted(body.read(range), budget) } }
}

async function* counted(bytes: AsyncGenerator<Uint8Array>, budget: Budget): AsyncGenerator<Uint8Array> {
  const small: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of bytes) {
      budget.send(part.byteLength)
      small.push(part)
      length += part.byteLength
      if (length < MIN_WRITE_BYTES) continue
      budget.rest()
      yield small.length === 1 ? part : concatBytes(small)
      small.length = 0
      length = 0
    }
    if (length > 0) yield concatBytes(small)
  } finally {
    budget.rest()
  }
}
