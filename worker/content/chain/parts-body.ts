import type { ByteRange } from '../../../contract/byte-range.ts'
import { indexOf, type LiteralLayout, partOf } from '../../../protocol/literal-parts.ts'
import type { SizedBody } from '../../platform/http/respond.ts'
import { HELD_BYTES } from '../../platform/http/stream-body.ts'

/** The content of a stored body that is in these parts, of which a range needs only its own bytes of the stored ones. */
export function partsBody(stored: SizedBody, layout: LiteralLayout): SizedBody {
  return {
    kind: 'file',
    size: layout.size,
    async *read(range) {
      const wanted = storedRange(layout, range)
      let at = wanted.start
      for await (const bytes of stored.read(wanted)) {
        yield* withoutHeaders(layout, bytes, at)
        at += bytes.length
      }
    },
  }
}

function storedRange(layout: LiteralLayout, { start, end }: ByteRange): ByteRange {
  const place = (position: number) => {
    const index = indexOf(layout, position)
    return index * layout.step + headerLength(layout, index) + position - partOf(layout, index).start
  }
  return { start: place(start), end: place(end) }
}

/** The bytes of the content among stored ones, of which the first is at `at`. */
function* withoutHeaders(layout: LiteralLayout, bytes: Uint8Array, at: number): Generator<Uint8Array> {
  const { step } = layout
  for (let index = Math.floor(at / step); index * step < at + bytes.length; index++) {
    const start = Math.max(0, index * step + headerLength(layout, index) - at)
    const content = bytes.subarray(start, Math.max(start, (index + 1) * step - at))
    // A short piece is held together with others, while the bytes of a long one are overwritten by the next.
    if (content.length > 0) yield content.length < HELD_BYTES ? content.slice() : content
  }
}

const headerLength = ({ first, next }: LiteralLayout, index: number) => (index === 0 ? first : next)
