import { parseIpfsPath } from '../../reader/ipfs/open-ipfs.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { usageError } from '../run/command-error.ts'
import { OBJECT_ID } from '../run/object-id.ts'

/** The meaning of a name on the command line. */
export type ContentName =
  | { kind: 'txids'; txids: string[]; path: string }
  | { kind: 'ipfs'; cid: string }
  | { kind: 'item'; id: string }

const TXID = /^[0-9a-fA-F]{64}$/

/**
 * Parses txids joined by commas, with an optional path in their website, `<cid>[/path]`, or the id of an item.
 * @throws {CommandError} 2 for anything else
 */
export function parseName(text: string): ContentName {
  if (OBJECT_ID.test(text)) return { kind: 'item', id: text }
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
