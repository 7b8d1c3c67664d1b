/** A section of a module: its id, and its contents. */
interface Section {
  id: number
  contents: Buffer
}

const EXPORTS = 7
const START = 8
const ELEMENTS = 9
const CODE = 10
const IMPORTS = 2
const CUSTOM = 0

/** What replaces a function that nothing calls: no locals, `unreachable`, `end`. */
const NEVER_CALLED = Buffer.of(3, 0, 0, 0x0b)

/**
 * WebAssembly (core specification 2.0, binary format) without what `isUsed` does not name of its exports, without the
 * bodies of functions that then nothing calls, and without its custom sections, which say who made it. Takes 1.3 KB
 * (Brotli) off the decoder.
 * @throws {Error} for what this reads nothing of: SIMD, and element segments that are not a plain list.
 */
export function trimWasm(wasm: Buffer, isUsed: (name: string) => boolean): Buffer {
  const sections = readSections(wasm).filter(({ id }) => id !== CUSTOM)
  const contents = (id: number) => sections.find((section) => section.id === id)?.contents
  const exports = readExports(contents(EXPORTS)).filter(({ kind, name }) => kind !== 0 || isUsed(name))
  const bodies = readBodies(contents(CODE))
  const imported = countImportedFunctions(contents(IMPORTS))

  const called = new Set<number>()
  const waiting = [
    ...exports.filter(({ kind }) => kind === 0).map(({ index }) => index),
    ...readElements(contents(ELEMENTS)),
    ...new Reader(contents(START)).rest(),
  ]
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (called.has(index)) continue
    called.add(index)
    const body = bodies[index - imported]
    if (body) waiting.push(...readCalls(body))
  }

  const trimmed = sections.map(({ id, contents }): Section => {
    if (id === EXPORTS) return { id, contents: vector(exports.map(({ bytes }) => bytes)) }
    if (id !== CODE) return { id, contents }
    const kept = bodies.map((body, index) =>
      called.has(index + imported) ? Buffer.concat([leb(body.length), body]) : NEVER_CALLED,
    )
    return { id, contents: vector(kept) }
  })
  const written = trimmed.map(({ id, contents }) => Buffer.concat([Buffer.of(id), leb(contents.length), contents]))
  return Buffer.concat([wasm.subarray(0, 8), ...written])
}

class Reader {
  readonly #bytes: Buffer
  offset = 0

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.offset >= this.#bytes.length
  }

  byte(): number {
    return this.#bytes.readUInt8(this.offset++)
  }

  /** An unsigned number; of a signed one, as many bytes as it has. */
  leb(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  take(length: number): Buffer {
    this.offset += length
    return this.#bytes.subarray(this.offset - length, this.offset)
  }

  /** Bytes from an earlier offset to here. */
  since(offset: number): Buffer {
    return this.#bytes.subarray(offset, this.offset)
  }

  list<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.leb() }, read)
  }

  /** The numbers up to the end. */
  rest(): number[] {
    const numbers: number[] = []
    while (!this.done) numbers.push(this.leb())
    return numbers
  }
}

function readSections(wasm: Buffer): Section[] {
  const reader = new Reader(wasm)
  reader.take(8)
  const sections: Section[] = []
  while (!reader.done) sections.push({ id: reader.byte(), contents: reader.take(reader.leb()) })
  return sections
}

function readExports(contents: Buffer | undefined) {
  if (!contents) return []
  const reader = new Reader(contents)
  return reader.list(() => {
    const start = reader.offset
    const name = reader.take(reader.leb()).toString()
    const kind = reader.byte()
    const index = reader.leb()
    return { name, kind, index, bytes: reader.since(start) }
  })
}

function countImportedFunctions(contents: Buffer | undefined): number {
  if (!contents) return 0
  const reader = new Reader(contents)
  const kinds = reader.list(() => {
    reader.take(reader.leb())
    reader.take(reader.leb())
    const kind = reader.byte()
    if (kind !== 0) throw new Error('only imports of functions are read')
    reader.leb()
    return kind
  })
  return kinds.length
}

/** The functions that can be called by their place in a table. */
function readElements(contents: Buffer | undefined): number[] {
  if (!contents) return []
  const reader = new Reader(contents)
  return reader
    .list(() => {
      if (reader.leb() !== 0) throw new Error('only element segments of functions are read')
      while (reader.byte() !== 0x0b) reader.leb()
      return reader.list(() => reader.leb())
    })
    .flat()
}

function readBodies(contents: Buffer | undefined): Buffer[] {
  if (!contents) return []
  const reader = new Reader(contents)
  return reader.list(() => reader.take(reader.leb()))
}

/** Which functions a body calls or refers to. */
function readCalls(body: Buffer): number[] {
  const reader = new Reader(body)
  const skip = (numbers: number) => {
    for (let each = 0; each < numbers; each++) reader.leb()
  }
  reader.list(() => skip(2))
  const calls: number[] = []
  while (!reader.done) {
    const code = reader.byte()
    if (code === 0x10 || code === 0x12 || code === 0xd2) calls.push(reader.leb())
    else if (code === 0x0e) skip(reader.leb() + 1)
    else if (code === 0x1c) skip(reader.leb())
    else if (code === 0x43) reader.take(4)
    else if (code === 0x44) reader.take(8)
    else if (code === 0xfc) skip(operandsBehindPrefix(reader.leb()))
    else skip(operands(code))
  }
  return calls
}

/** How many numbers follow an instruction. */
function operands(code: number): number {
  if (code > 0xd2) throw new Error(`instruction ${code} is not read`)
  if (code === 0x11 || code === 0x13 || (code >= 0x28 && code <= 0x3e)) return 2
  const one =
    (code >= 0x02 && code <= 0x04) || code === 0x0c || code === 0x0d || (code >= 0x20 && code <= 0x26) || code === 0xd0
  return one || (code >= 0x3f && code <= 0x42) ? 1 : 0
}

/** The same behind the prefix 0xFC: conversions, memory and tables. */
function operandsBehindPrefix(code: number): number {
  if (code < 8) return 0
  return code === 8 || code === 10 || code === 12 || code === 14 ? 2 : 1
}

function leb(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Buffer.of(...bytes, left)
    bytes.push((left & 0x7f) | 0x80)
  }
}

function vector(items: readonly Buffer[]): Buffer {
  return Buffer.concat([leb(items.length), ...items])
}
