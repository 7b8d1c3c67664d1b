import { concatBytes } from '../../../protocol/bytes.ts'
import {
  FIRST_HEADER,
  headerOf,
  type LiteralLayout,
  lengthOfParts,
  readLayout,
} from '../../../protocol/literal-parts.ts'

/** The last byte of a Brotli stream of uncompressed meta-blocks. */
const LAST_EMPTY = 0x03

/**
 * Compares stored bytes, as they are read, with what their beginning says (docs/formats.md, "A range of content"): where all of
 * them are in these parts, a decoder makes of the whole what the parts are by themselves.
 */
export class PartsCheck {
  #start = new Uint8Array(0)
  #layout: LiteralLayout | undefined
  #at = 0
  #last = 0
  #holds = true

  /** The bytes, compared as they are passed on. */
  async *noted(parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of parts) {
      this.#add(bytes)
      yield bytes
    }
  }

  /** The data bytes of each transaction, where the bytes are in such parts up to their end; `undefined` where they say of none. */
  result(): number | 'wrong' | undefined {
    const layout = this.#layout
    if (!layout) return undefined
    const ends = this.#at === lengthOfParts(layout) && this.#last === LAST_EMPTY
    return this.#holds && ends ? layout.step : 'wrong'
  }

  #add(bytes: Uint8Array): void {
    if (this.#start.length < FIRST_HEADER) {
      this.#start = concatBytes([this.#start, bytes.subarray(0, FIRST_HEADER - this.#start.length)])
      this.#layout = readLayout(this.#start)
    }
    if (this.#layout) this.#compare(this.#layout, bytes)
    this.#last = bytes.at(-1) ?? this.#last
    this.#at += bytes.length
  }

  /** The headers of all parts behind the first one, which {@link readLayout} compares. */
  #compare(layout: LiteralLayout, bytes: Uint8Array): void {
    const { step } = layout
    const first = Math.max(1, Math.floor(this.#at / step))
    for (let index = first; index * step < this.#at + bytes.length; index++) {
      const place = index * step - this.#at
      this.#holds &&= headerOf(layout, index).every((byte, at) => [byte, undefined].includes(bytes[place + at]))
    }
  }
}
