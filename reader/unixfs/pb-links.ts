import { decode, type PBLink } from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { InvalidNodeError, scanNode } from './scan-node.ts'
import { type DirectoryLink, type UnixfsNode, withLinks } from './unixfs-node.ts'

/** Links that are decoded at a time: some 0.5 ms. */
const PORTION = 256

/**
 * A link of a dag-pb block. Its CID is decoded at each use: few of the tens of thousands are used, and all of them decoded
 * would need ten times the memory of the block.
 */
class PbLink implements DirectoryLink {
  readonly name: string
  readonly size: number | undefined
  readonly #block: Uint8Array
  readonly #from: number
  readonly #end: number

  /** `from` and `end`: where the link is in the block. */
  constructor({ Name = '', Tsize }: PBLink, block: Uint8Array, from: number, end: number) {
    this.name = Name
    this.size = Tsize
    this.#block = block
    this.#from = from
    this.#end = end
  }

  get cid(): CID {
    const [link] = decodeLinks(this.#block.subarray(this.#from, this.#end))
    if (!link) throw new InvalidNodeError('has no link where it had one')
    return link.Hash
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

/** Awaited before each portion of links but the first, so that others may have their turn. */
export type Pause = () => Promise<void> | undefined

/**
 * The links of a dag-pb block in portions, decoded by `@ipld/dag-pb`; `bounds` are those of `scanPb`.
 * @throws {InvalidNodeError} for what is no link, and what `pause` throws
 */
export async function* pbLinks(
  block: Uint8Array,
  bounds: readonly number[],
  pause?: Pause,
): AsyncGenerator<PBLink[], undefined> {
  for (let first = 0; first < bounds.length - 1; first += PORTION) {
    if (first > 0) await pause?.()
    yield decodeLinks(block.subarray(bounds[first], bounds[first + PORTION] ?? bounds.at(-1)))
  }
  return undefined
}

/** Links that are in a row are a dag-pb node of their own. */
function decodeLinks(row: Uint8Array): PBLink[] {
  try {
    return decode(row).Links
  } catch (cause) {
    throw new InvalidNodeError('is not dag-pb: one of its links is invalid', { cause })
  }
}

/** A dag-pb block as UnixFS. @throws {InvalidNodeError} for what is neither, and what `pause` throws */
export async function decodeUnixfs(block: Uint8Array, pause?: Pause): Promise<UnixfsNode> {
  const { head, bounds } = scanNode(block)
  const links: DirectoryLink[] = []
  for await (const portion of pbLinks(block, bounds, pause)) {
    for (const link of portion) {
      const index = links.length
      links.push(new PbLink(link, block, bounds[index] ?? 0, bounds[index + 1] ?? 0))
    }
  }
  return withLinks(head, links)
}
