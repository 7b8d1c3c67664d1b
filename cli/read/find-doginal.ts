import { counted } from '../../client/counted.ts'
import { MAX_DOGINAL_TRANSACTIONS } from '../../protocol/inscriptions/content-name.ts'
import {
  BLOCKS_AFTER,
  behind,
  type FollowedDoginal,
  followFrom,
  followIn,
  isOpen,
  MAX_BLOCKS,
} from '../../protocol/inscriptions/follow-doginal.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { NodeBlocks } from './node-blocks.ts'

/**
 * All transactions of the doginal that `txid` begins, found in the blocks of a node.
 * @param onBlock called before each block, with what was found so far
 * @throws {CommandError} where it begins none, or a part is not found; {ReaderError} where the node fails
 */
export async function findDoginal(
  txid: string,
  node: NodeBlocks,
  onBlock: (found: FollowedDoginal, height: number) => void,
): Promise<FollowedDoginal> {
  const { transaction, height: first } = await node.transaction(txid)
  let found = followFrom(transaction)
  if (!found) throw refused('no_such_inscription', `${txid} begins no doginal.`)
  if (!isOpen(found)) return found
  if (first === undefined) throw pending(found, `${txid} is not mined yet.`)
  let last = first
  for (let height = first; isOpen(found) && height <= last + BLOCKS_AFTER; height++) {
    if (height === first + MAX_BLOCKS) {
      throw notComplete(found, `${MAX_BLOCKS} blocks were searched, from ${first} on, and no more are.`)
    }
    onBlock(found, height)
    const transactions = await node.block(height)
    if (!transactions) throw pending(found, `The chain of the node ends at block ${height - 1}.`)
    const later = height === first ? behind(txid, transactions) : transactions
    if (!later) {
      throw new ReaderError('unavailable', `The node's block ${first} no longer has ${txid}: its chain has changed.`)
    }
    const { length } = found.txids
    found = followIn(found, later)
    if (found.txids.length > length) last = height
  }
  if (found.doginal.missing === 0) return found
  const why = isOpen(found)
    ? `No transaction of block ${last} and the ${BLOCKS_AFTER} after it goes on behind ${found.txids.at(-1)}.`
    : `A name has at most ${MAX_DOGINAL_TRANSACTIONS} transactions.`
  throw notComplete(found, why)
}

/** "Of 12 parts 5 were found, in 1 transaction." */
function describeFound({ doginal: { parts, missing }, txids }: FollowedDoginal): string {
  const all = counted(parts.length + missing, 'part')
  return `Of ${all} ${parts.length} ${parts.length === 1 ? 'was' : 'were'} found, in ${counted(txids.length, 'transaction')}.`
}

function notComplete(found: FollowedDoginal, why: string): CommandError {
  return refused('not_complete', `${describeFound(found)} ${why}`)
}

function refused(code: string, message: string): CommandError {
  return new CommandError(EXIT.refused, code, message)
}

function pending(found: FollowedDoginal, why: string): CommandError {
  const hint = 'If the next part is mined later, the same command finds it.'
  return new CommandError(EXIT.pending, 'pending', `${describeFound(found)} ${why}`, { hint })
}
