import type { BroadcastOutcome } from '../../transactions/sign/broadcast-outcome.ts'
import { isBump, type OwnTransaction } from '../../transactions/sql/transactions.ts'

/** What to do with a transaction that the node did not accept. */
export interface RefusalVerdict {
  /** What it spends is not there; whether something else has spent it is to be looked up. */
  orphaned: boolean
  /** The node had it once, and its mempool has no room for it now at what it pays. */
  crowdedOut: boolean
  /** No node has it: it is made again, with all behind it in its tx chain. */
  givenUp: boolean
  /** Its tx chain ends with it. */
  ends: boolean
  /** Its item or withdrawal stops until somebody lets it go on. */
  stops: boolean
  /** Its item or withdrawal backs off, and its payer and the operator are notified why. */
  rests: boolean
  /** Sending it again to the same mempool is of no use, unless that accepts something else first. */
  waits: boolean
  /** Not even then, nor where the same one is made again. */
  rejected: boolean
}

/** What a node's refusal of a transaction means; `isKnown` says whether the wallet has ever seen it. Pure. */
export function classifyRejection(
  transaction: Pick<OwnTransaction, 'state' | 'attempts' | 'itemId' | 'withdrawalId' | 'seq'>,
  kind: BroadcastOutcome,
  isKnown: boolean,
): RefusalVerdict {
  const bump = isBump(transaction)
  const unheard = transaction.state === 'signed' && !isKnown
  const first = transaction.attempts === 0
  // No node ever had it: it is made anew, at the present fee rate, or at more than it was refused at.
  const isCheap = kind === 'cheap' && unheard
  // Another unconfirmed transaction has spent its coin, and this one was never sent.
  const isLate = kind === 'conflict' && first && !bump
  const isRefused = kind === 'refused' && unheard
  const crowdedOut = kind === 'cheap' && transaction.state === 'sent'
  const givenUp = isCheap || isLate || isRefused
  const stops = isRefused && (transaction.itemId ?? transaction.withdrawalId) !== undefined
  return {
    orphaned: kind === 'missing',
    crowdedOut,
    givenUp,
    ends: isLate,
    stops,
    // An item that stops says why itself.
    rests:
      kind === 'cheap' ||
      (kind === 'refused' && !(stops && transaction.itemId)) ||
      (kind === 'conflict' && (bump || isLate)),
    waits: kind !== 'unknown',
    rejected: crowdedOut || kind === 'full' || (givenUp && bump),
  }
}
