import { parseContentName as parseOthersName, writeContentName } from '../../protocol/inscriptions/content-name.ts'
import { parseIpfsPath } from '../../reader/ipfs/open-ipfs.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { usageError } from '../run/command-error.ts'
import { OBJECT_ID } from '../run/object-id.ts'

/** The meaning of a name on the command line. */
export type ContentName =
  | { kind: 'txids'; txids: string[]; path: string }
  | { kind: 'ipfs'; cid: string }
  | { kind: 'item'; id: string }
  /** What others wrote: an inscription, a doginal or a stamp. */
  | { kind: 'named'; name: string }

const TXID = /^[0-9a-fA-F]{64}$/

/**
 * Parses txids joined by commas, with an optional path in their website, `<cid>[/path]`, the id of an item, or a name of what others
 * wrote.
 * @throws {CommandError} 2 for anything else
 */
export function parseName(text: string): ContentName {
  if (OBJECT_ID.test(text)) return { kind: 'item', id: text }
  const others = parseOthersName(text)
  if (others) return { kind: 'named', name: writeContentName(others) }
  const cut = text.indexOf('/')
  const list = cut < 0 ? text : text.slice(0, cut)
  const words = list.split(',').map((word) => word.trim())
  const broken = words.find((word) => !TXID.test(word))
  if (broken === undefined) {
    const path = cut < 0 ? '' : text.slice(cut).replace(/^\/+|\/+$/g, '')
    return { kind: 'txids', txids: words.map((word) => word.toLowerCase()), path }
  }
  if (words.length > 1)
    throw usageError(`${JSON.stringify(broken.slice(0, 80))} is not a txid, which has 64 hex digits.`)
  try {
    parseIpfsPath(text)
    return { kind: 'ipfs', cid: text.replace(/^(ipfs:\/\/|\/ipfs\/)/, '') }
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error
    throw usageError(
      `${JSON.stringify(text.slice(0, 80))} is neither a CID, nor txids (64 hex digits each), nor the id of an item (24).`,
    )
  }
}
