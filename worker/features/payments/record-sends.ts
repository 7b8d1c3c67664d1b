import type { AgentContext } from '../../chain/follower/agent-context.ts'
import type { WalletScan } from '../../chain/follower/blocks.ts'
import { selectStops } from '../../chain/follower/stops.ts'
import type { WalletSend } from '../../chain/rpc/transaction-methods.ts'
import { inParts } from '../../platform/d1/in-parts.ts'
import { insertAuditStatement } from '../../platform/records/audit-log.ts'
import { insertSendsStatement, selectUnknown } from '../transactions/sql/list-sends.ts'
import { stopPayoutsStatements } from '../transactions/stop-payouts.ts'

/** Unknown sends that one step takes in; the next continues. */
const PER_STEP = 5_000

const REASON =
  'Something left the wallet that the database does not know: it was restored, or somebody else spends from the wallet. Assign each send (GET /v0/operate/send), and let payouts go on then.'

const UNSEARCHED =
  'The wallet has changed, as by a rescan, and has too many transactions to be searched whole: it may have paid what the database does not know. Compare its history with the withdrawals, and let payouts go on then.'

/** What a look at a wallet found to have left it; `above` is the height of the block from which on it was asked. */
export interface FoundSends {
  sends: readonly WalletSend[]
  above: number
  /** Whether the wallet was to be searched whole, and has too many transactions for that. */
  isUnsearched?: boolean
}

/** What is written of sends, in the batch in which the search moves on. */
export interface SendsToRecord {
  statements: D1PreparedStatement[]
  /** Those that nobody has explained. */
  unknown: string[]
  /** Whether there are more than one step takes in. */
  more: boolean
}

/**
 * The statements that list what left the wallet by transactions that the database does not know: payouts stop until an operator has
 * assigned each. What left it before the first search counts as assigned, with one audit entry; not so if the database was restored to
 * a moment before that search.
 */
export async function recordSends(
  { db, blockchain, now }: AgentContext,
  scan: Pick<WalletScan, 'sendsKnown'> | undefined,
  { sends, above, isUnsearched = false }: FoundSends,
): Promise<SendsToRecord> {
  const txids = sends.map(({ txid }) => txid)
  const unknown = txids.length > 0 ? await selectUnknown(db, blockchain, txids, above) : new Set<string>()
  const isFirst = scan?.sendsKnown === false
  if (unknown.size === 0 && !isFirst && !isUnsearched) return { statements: [], unknown: [], more: false }
  const causes = new Set((await selectStops(db, blockchain)).map(({ cause }) => cause))
  const isNew = isFirst && !causes.has('restored')
  const found = sends.filter(({ txid }) => unknown.has(txid))
  const taken = found.slice(0, PER_STEP)
  const listed = inParts(taken).map((part) =>
    insertSendsStatement(db, blockchain, part, { now, assigned: isNew ? 'foreign' : undefined }),
  )
  const more = taken.length < found.length
  if (isNew)
    return { statements: [...listed, insertAuditStatement(db, firstAudit(blockchain, now))], unknown: [], more }
  const reason = taken.length > 0 ? REASON : isUnsearched ? UNSEARCHED : undefined
  const isStopped = reason === undefined || causes.has('sends')
  return {
    statements: [
      ...listed,
      ...(isStopped ? [] : stopPayoutsStatements(db, blockchain, { cause: 'sends', reason }, now)),
    ],
    unknown: taken.map(({ txid }) => txid),
    more,
  }
}

function firstAudit(blockchain: AgentContext['blockchain'], at: number) {
  const reason = 'What left the wallet before its first search counts as assigned.'
  return { at, actor: 'service', act: 'sends.assigned', subject: `wallet:${blockchain}`, reason, blockchain } as const
}
