import type { Blockchain } from '../../../../protocol/chains.ts'
import { assertNeverSentStatement, markDeadStatements } from '../sql/transaction-states.ts'
import { type OwnTransaction, selectUnmined, txidsOf } from '../sql/transactions.ts'
import { closeTxChainsFromStatement, closeTxChainsStatement } from '../sql/tx-chains.ts'

/** The transactions that can't be without `from`: itself and what follows in its tx chain. */
export function followersOf(
  unmined: readonly OwnTransaction[],
  from: Pick<OwnTransaction, 'txChain' | 'seq'>,
): OwnTransaction[] {
  return unmined.filter(({ txChain, seq }) => txChain === from.txChain && seq >= from.seq)
}

/**
 * The statements after which what was signed for a withdrawal and never sent is never sent later. They fail their batch where another
 * step has sent it meanwhile.
 */
export async function giveUpUnsent(
  db: D1Database,
  blockchain: Blockchain,
  withdrawalId: string,
): Promise<D1PreparedStatement[]> {
  const unmined = await selectUnmined(db, blockchain)
  const unsent = unmined.filter((one) => one.withdrawalId === withdrawalId && one.attempts === 0)
  if (unsent.length === 0) return []
  const txChains = unsent.map(({ txChain }) => txChain)
  return [
    assertNeverSentStatement(db, blockchain, txidsOf(unsent)),
    ...giveUp(
      db,
      blockchain,
      unsent.flatMap((one) => followersOf(unmined, one)),
    ),
    closeTxChainsStatement(db, blockchain, txChains),
  ]
}

/** The statements that give up transactions, with the tx chains that start from their outputs. */
export function giveUp(
  db: D1Database,
  blockchain: Blockchain,
  transactions: readonly OwnTransaction[],
): D1PreparedStatement[] {
  const txids = transactions.map(({ txid }) => txid)
  return [...markDeadStatements(db, blockchain, transactions), closeTxChainsFromStatement(db, blockchain, txids)]
}
