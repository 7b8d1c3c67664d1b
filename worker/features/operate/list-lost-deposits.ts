import { BLOCKCHAINS } from '../../../protocol/chains.ts'
import { readWalletTransactions } from '../../chain/rpc/transaction-methods.ts'
import { unixSecondsOrNull } from '../../platform/clock.ts'
import { coinsJson, listJson } from '../../platform/http/coins-json.ts'
import type { PaymentContext } from '../payments/payment-context.ts'
import { type Output, selectUnminedCredited } from '../payments/sql/outputs.ts'

/** Deposits of one chain that are listed. */
const MOST = 100

/**
 * Credited outputs that are in no block now, as JSON text. `lost` is true if another transaction has replaced theirs
 * with the confirmations that a payment needs, so that they can be written off; null if the node can't be queried.
 */
export async function lostDeposits(context: PaymentContext): Promise<string> {
  const deposits: string[] = []
  for (const blockchain of BLOCKCHAINS) {
    const outputs = await selectUnminedCredited(context.db, blockchain, MOST)
    const lost = outputs.length > 0 ? await readLost(context, blockchain, outputs) : new Map<string, boolean>()
    for (const { txid, vout, address, userId, amount, goneAt } of outputs) {
      const fields = { id: `${blockchain}-${txid}-${vout}`, blockchain, txid, vout, address, account: userId }
      const since = unixSecondsOrNull(goneAt)
      deposits.push(coinsJson({ ...fields, since, lost: lost.get(txid) ?? null }, { amount }))
    }
  }
  return listJson('deposits', deposits)
}

/** Which of the transactions are lost; empty where the node does not say. */
async function readLost(
  { config, rpcOf }: PaymentContext,
  blockchain: (typeof BLOCKCHAINS)[number],
  outputs: readonly Output[],
): Promise<Map<string, boolean>> {
  const rpc = rpcOf(blockchain)
  if (!rpc) return new Map()
  const txids = [...new Set(outputs.map(({ txid }) => txid))]
  const { confirmations } = config.chains[blockchain]
  try {
    const known = await readWalletTransactions(rpc, txids)
    return new Map(txids.map((txid, index) => [txid, (known[index]?.confirmations ?? 0) <= -confirmations]))
  } catch (error) {
    console.warn('deposits_not_asked', blockchain, error)
    return new Map()
  }
}
