import type { RpcOutcome } from '../../../chain/rpc/rpc-transport.ts'

/**
 * What a node's answer to `sendrawtransaction` says about the transaction:
 * - `taken`: it is in the mempool, now or before;
 * - `mined`: it is in a block already;
 * - `missing`: an input is not there: its parent was not sent, or all is spent, by this very transaction or another;
 * - `full`: too many unconfirmed relatives: the next block helps;
 * - `cheap`: its fee is too low for the mempool now;
 * - `conflict`: the mempool holds another transaction that spends an input;
 * - `refused`: policy or consensus refuses it, now and later;
 * - `unknown`: nothing is known; the same bytes are sent again later.
 */
export type BroadcastOutcome = 'taken' | 'mined' | 'missing' | 'full' | 'cheap' | 'conflict' | 'refused' | 'unknown'

const ALREADY_IN_CHAIN = -27
const REJECTED = new Set([-25, -26])
const DECODE_FAILED = -22

/** Reject reasons of Bitcoin Core 25 to 31 and Dogecoin Core 1.14 (which puts a code before them). */
const REASONS: [RegExp, BroadcastOutcome][] = [
  [/txn-already-in-mempool|txn-same-nonwitness-data-in-mempool/i, 'taken'],
  [/txn-already-known/i, 'mined'],
  [/missing ?-?inputs|missingorspent|bad-txns-inputs-spent/i, 'missing'],
  [
    /too-long-mempool-chain|too-large-cluster|too many potential replacements|too many (?:unconfirmed|descendants)|exceeds (?:ancestor|descendant) size/i,
    'full',
  ],
  // "insufficient fee" alone is about replacing another transaction.
  [/min relay fee|mempool min fee|insufficient priority|rate limited free|mempool full/i, 'cheap'],
  [/txn-mempool-conflict|insufficient fee|replacement|spends-conflicting/i, 'conflict'],
]

/** Reads the node's answer; pure. */
export function readBroadcastOutcome(outcome: RpcOutcome): BroadcastOutcome {
  if ('result' in outcome) return 'taken'
  const { code, message } = outcome.error
  if (code === ALREADY_IN_CHAIN) return 'mined'
  if (REJECTED.has(code)) return REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? 'refused'
  return code === DECODE_FAILED ? 'refused' : 'unknown'
}
