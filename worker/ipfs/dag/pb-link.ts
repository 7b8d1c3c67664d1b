import { CID } from 'multiformats/cid'
import type { DirectoryLink } from '../../../protocol/unixfs-node.ts'
import { readVarint, scanProtobuf } from './scan-protobuf.ts'

const CID_V0_FIRST_BYTE = 0x12

/**
 * A link of a dag-pb block. Its CID is made each time that it is asked for: tens of thousands of them, of which few are,
 * would take ten times the memory of the block.
 */
export class PbLink implements DirectoryLink {
  readonly name: string
  readonly size: number | undefined
  readonly #block: Uint8Array
  readonly #start: number
  readonly #end: number

  /** `start` and `end`: where the CID lies in the block. */
  constructor(link: Pick<DirectoryLink, 'name' | 'size'>, block: Uint8Array, start: number, end: number) {
    this.name = link.name
    this.size = link.size
    this.#block = block
    this.#start = start
    this.#end = end
  }

  get cid(): CID {
    return CID.decode(this.#block.subarray(this.#start, this.#end))
  }
}

/** The same link under another name. */
export function renamed(link: DirectoryLink, name: string): DirectoryLink {
  return {
    name,
    size: link.size,
    get cid() {
      return link.cid
    },
  }
}

const text = new TextDecoder()

/**
 * The link that lies from `start` to `end` of a block; `undefined` for what is none: its fields are each there once at
 * most and in order, a CID always (DAG-PB specification, "Serial format").
 */
export function readPbLink(block: Uint8Array, start: number, end: number): PbLink | undefined {
  const [HASH, NAME, SIZE] = [1, 2, 3]
  let last = 0
  let valid = true
  let hash = { start: 0, end: 0 }
  let name = ''
  let size: number | undefined
  const stopped = scanProtobuf(
    block,
    (field) => {
      const { number, wireType } = field
      if (number <= last || number > SIZE || wireType !== (number === SIZE ? 0 : 2)) valid = false
      if (number === HASH) hash = field
      if (number === NAME) name = text.decode(block.subarray(field.start, field.end))
      if (number === SIZE) size = readVarint(block, field.start)?.value
      last = number
    },
    { start, end },
  )
  if (stopped === undefined || !valid || !isCid(block, hash.start, hash.end)) return undefined
  return new PbLink({ name, size }, block, hash.start, hash.end)
}

/** Whether these bytes are one whole CID, of whatever hash (CID specification, "Decoding Algorithm"). */
function isCid(bytes: Uint8Array, start: number, end: number): boolean {
  let at: number | undefined = start
  const next = (): number | undefined => {
    const varint = at === undefined ? undefined : readVarint(bytes, at, end)
    at = varint?.end
    return varint?.value
  }
  if (bytes[start] !== CID_V0_FIRST_BYTE) {
    const version = next()
    next()
    if (version !== 1) return false
  }
  next()
  const length = next()
  return at !== undefined && length !== undefined && at + length === end
}
