import type { Envelope } from './envelopes.ts'
import { type InscriptionId, littleEndian, readInscriptionId } from './inscription-id.ts'
import { ScriptReader } from './script-reader.ts'

/** Tags of ord's `tag.rs`; a tag is its bytes, and these are the ones of one byte. */
const TAG = { type: 1, pointer: 2, parent: 3, metadata: 5, metaprotocol: 7, encoding: 9, delegate: 11 } as const

/** The most parents that are named. */
const MAX_PARENTS = 1_000

/** What is shown of an inscription. A text that is not UTF-8 is `undefined`, as if it were not there. */
export interface InscriptionContent {
  /** The index of its input. */
  input: number
  /** `undefined` where no body is pushed, which is another thing than an empty one. */
  body: Uint8Array<ArrayBuffer> | undefined
  type: string | undefined
  encoding: string | undefined
  delegate: InscriptionId | undefined
}

/** All that an envelope says. */
export interface Inscription extends InscriptionContent {
  /** At most 1,000. */
  parents: InscriptionId[]
  /** CBOR. */
  metadata: Uint8Array<ArrayBuffer> | undefined
  metaprotocol: string | undefined
  /** An offset in the satoshis of the outputs. */
  pointer: bigint | undefined
}

/**
 * What an envelope shows. The first empty push in the place of a tag begins the body. Of a tag's values the first counts; a last
 * tag without value is ignored. `each` is called with the values of all tags of one byte, in order.
 */
export function readContent(envelope: Envelope, each?: (code: number, value: Uint8Array) => void): InscriptionContent {
  const reader = new ScriptReader(envelope.script.subarray(0, envelope.end), envelope.start)
  const first = new Map<number, Uint8Array>()
  let hasBody = false
  while (reader.next() === 'read') {
    const tag = reader.pushed
    if (tag?.length === 0) {
      hasBody = true
      break
    }
    const code = tag?.length === 1 ? (tag[0] ?? 0) : 0
    if (reader.next() !== 'read') break
    const value = reader.pushed ?? new Uint8Array(0)
    if (!first.has(code)) first.set(code, value)
    each?.(code, value)
  }
  return {
    input: envelope.input,
    body: hasBody ? readBody(reader, envelope) : undefined,
    type: readText(first.get(TAG.type)),
    encoding: readText(first.get(TAG.encoding)),
    delegate: readInscriptionId(first.get(TAG.delegate)),
  }
}

/** All that an envelope says, as {@link readContent}; parents are many, and metadata join. */
export function readInscription(envelope: Envelope): Inscription {
  const parents: InscriptionId[] = []
  const metadata = new Joined(envelope)
  let metaprotocol: Uint8Array | undefined
  let pointer: Uint8Array | undefined
  const content = readContent(envelope, (code, value) => {
    if (code === TAG.metadata) metadata.add(value)
    else if (code === TAG.metaprotocol) metaprotocol ??= value
    else if (code === TAG.pointer) pointer ??= value
    else if (code === TAG.parent) {
      const parent = parents.length < MAX_PARENTS ? readInscriptionId(value) : undefined
      if (parent) parents.push(parent)
    }
  })
  return {
    ...content,
    parents,
    metadata: metadata.bytes,
    metaprotocol: readText(metaprotocol),
    pointer: readPointer(pointer),
  }
}

function readBody(reader: ScriptReader, envelope: Envelope): Uint8Array<ArrayBuffer> {
  const body = new Joined(envelope)
  body.add(new Uint8Array(0))
  while (reader.next() === 'read') body.add(reader.pushed ?? new Uint8Array(0))
  return body.bytes ?? new Uint8Array(0)
}

/** Values of an envelope, joined as they come: they are never longer than it. */
class Joined {
  readonly #room: number
  #buffer: Uint8Array<ArrayBuffer> | undefined
  #length = 0

  constructor({ start, end }: Envelope) {
    this.#room = end - start
  }

  add(value: Uint8Array): void {
    this.#buffer ??= new Uint8Array(this.#room)
    this.#buffer.set(value, this.#length)
    this.#length += value.length
  }

  /** `undefined` where nothing was added. */
  get bytes(): Uint8Array<ArrayBuffer> | undefined {
    return this.#buffer?.slice(0, this.#length)
  }
}

function readText(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function readPointer(value: Uint8Array | undefined): bigint | undefined {
  if (!value || value.subarray(8).some((byte) => byte !== 0)) return undefined
  return littleEndian(value.subarray(0, 8))
}
