import { concatBytes } from '../../../protocol/bytes.ts'

/** How a long list in the result of a single call is read: its objects are passed on as they arrive, and none is stored. */
export interface ListFold {
  /** The field of the result with the list. Objects of other lists are skipped. */
  list: string
  /** Receives some of the objects, in order; nothing more is read until it has resolved. */
  take(objects: unknown[]): Promise<void>
}

/** Depth at which lists of a result begin in an answer to a batch: `[{"result":{"transactions":[`. */
const LIST_DEPTH = 4
/** Bytes of one object, and of all that is not in a list. */
const MAX_PART = 1 << 16
/** Objects that are passed to `take` at once. */
const OBJECTS_AT_ONCE = 2_000

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_OBJECT, OPEN_LIST, CLOSE_OBJECT, CLOSE_LIST] = [0x7b, 0x5b, 0x7d, 0x5d]

/**
 * Cuts the objects out of the lists of a JSON result that arrives in parts. The JSON around them remains in {@link rest};
 * whether an object is valid JSON, its parser decides. Library parsers build each value byte by byte: for 10⁶ entries of a
 * wallet's history, of 709 bytes each, they need 31 s of CPU (measured with 110,000); this class with `JSON.parse` needs 8 s.
 */
class ListCutter {
  readonly #list: string
  readonly #rest = new Uint8Array(MAX_PART)
  #restLength = 0
  #depth = 0
  #inText = false
  #isEscaped = false
  /** The last string outside of the lists, which is the name of the list that follows. */
  #name = ''
  #nameStart = 0
  /** The bytes so far of an object that began in an earlier part. */
  #begun: Uint8Array[] = []
  #begunLength = 0

  constructor(list: string) {
    this.#list = list
  }

  /** Calls `take` with the bytes of each object of the list that ends in this part. @throws {RangeError} past a limit. */
  write(part: Uint8Array, take: (object: Uint8Array) => void): void {
    let start = this.#depth > LIST_DEPTH ? 0 : -1
    for (let at = 0; at < part.length; at++) {
      const byte = part[at] ?? 0
      if (start < 0 && this.#depth < LIST_DEPTH) this.#addToRest(byte)
      if (this.#inText) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#endText()
      } else if (byte === QUOTE) {
        this.#inText = true
        this.#nameStart = this.#restLength
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        this.#depth++
        if (this.#depth === LIST_DEPTH + 1) start = at
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (this.#depth === LIST_DEPTH) this.#addToRest(byte)
        this.#depth--
        if (this.#depth !== LIST_DEPTH || start < 0) continue
        const object = this.#endObject(part.subarray(start, at + 1))
        if (this.#name === this.#list) take(object)
        start = -1
      } else if (this.#depth === LIST_DEPTH && byte !== COMMA) this.#addToRest(byte)
    }
    if (start < 0) return
    this.#begun.push(part.slice(start))
    this.#begunLength += part.length - start
    if (this.#begunLength > MAX_PART) throw new RangeError('an object of a list is too long')
  }

  /** All that was not in a list, decoded. */
  rest(): string {
    return new TextDecoder().decode(this.#rest.subarray(0, this.#restLength))
  }

  #endText(): void {
    this.#inText = false
    if (this.#depth >= LIST_DEPTH) return
    this.#name = new TextDecoder().decode(this.#rest.subarray(this.#nameStart, this.#restLength - 1))
  }

  #endObject(end: Uint8Array): Uint8Array {
    if (this.#begun.length === 0) return end
    const object = concatBytes([...this.#begun, end])
    this.#begun = []
    this.#begunLength = 0
    return object
  }

  #addToRest(byte: number): void {
    if (this.#restLength === MAX_PART) throw new RangeError('too many bytes outside of the lists')
    this.#rest[this.#restLength++] = byte
  }
}

/**
 * The JSON around the lists of a body, with the lists empty. Their objects are parsed by `parse` and passed to `take` as they arrive.
 * @throws {RangeError} if an object is too long; what `parse`, `take` and the body throw.
 */
export async function foldList(
  parts: AsyncIterable<Uint8Array>,
  { list, take }: ListFold,
  parse: (text: string) => unknown,
): Promise<string> {
  const cutter = new ListCutter(list)
  const decoder = new TextDecoder()
  let objects: unknown[] = []
  for await (const part of parts) {
    cutter.write(part, (object) => objects.push(parse(decoder.decode(object))))
    if (objects.length < OBJECTS_AT_ONCE) continue
    await take(objects)
    objects = []
  }
  if (objects.length > 0) await take(objects)
  return cutter.rest()
}
