import { BLOCKCHAINS, type Blockchain, isBlockchain } from '../../../protocol/chains.ts'
import { readWalletTransactions } from '../../chain/rpc/transaction-methods.ts'
import { unixSecondsOrNull } from '../../platform/clock.ts'
import { cutPage } from '../../platform/d1/page-key.ts'
import { coinsJson, listJson } from '../../platform/http/coins-json.ts'
import { invalidCursor } from '../../platform/http/errors.ts'
import { readDeeper } from '../payments/confirmations-above.ts'
import type { PaymentContext } from '../payments/payment-context.ts'
import { type CreditedOutput, selectUnminedCredited } from '../payments/sql/outputs.ts'
import { isLost } from './write-off-deposit.ts'

/** Deposits of one page. */
const PAGE = 100

/**
 * A page of the credited outputs that are in no block now, as JSON text. `lost` is true if they can be written off
 * ({@link isLost}); null if the node can't be queried.
 * @throws {AppError} 400 for the cursor.
 */
export async function lostDeposits(context: PaymentContext, cursor: string | undefined): Promise<string> {
  const after = parseCursor(cursor)
  const found: (CreditedOutput & { blockchain: Blockchain })[] = []
  for (const blockchain of after ? BLOCKCHAINS.slice(BLOCKCHAINS.indexOf(after.blockchain)) : BLOCKCHAINS) {
    const from = after?.blockchain === blockchain ? after : undefined
    const outputs = await selectUnminedCredited(context.db, blockchain, PAGE + 1 - found.length, from)
    found.push(...outputs.map((output) => ({ ...output, blockchain })))
    if (found.length > PAGE) break
  }
  const page = cutPage(found, (last) => [last.blockchain, last.address, last.txid, last.vout].join('-'), PAGE)
  const deposits: string[] = []
  for (const [blockchain, outputs] of Map.groupBy(page.shown, (output) => output.blockchain)) {
    const lost = await readLost(context, blockchain, outputs)
    for (const { txid, vout, address, userId, amount, goneAt } of outputs) {
      const fields = { id: `${blockchain}-${txid}-${vout}`, blockchain, txid, vout, address, account: userId }
      const since = unixSecondsOrNull(goneAt)
      deposits.push(coinsJson({ ...fields, since, lost: lost.get(txid) ?? null }, { amount }))
    }
  }
  return listJson('deposits', deposits, page.cursor)
}

function parseCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined
  const [, blockchain, address = '', txid = '', vout] =
    /^([A-Za-z]+)-([A-Za-z0-9]{1,90})-([0-9a-f]{64})-(\d{1,10})$/.exec(cursor) ?? []
  if (!isBlockchain(blockchain)) throw invalidCursor()
  return { blockchain, address, txid, vout: Number(vout) }
}

/** Which of the transactions are lost; empty where the node does not say. */
async function readLost(
  { db, config, rpcOf, now }: PaymentContext,
  blockchain: Blockchain,
  outputs: readonly CreditedOutput[],
): Promise<Map<string, boolean>> {
  const rpc = rpcOf(blockchain)
  if (!rpc) return new Map()
  const txids = [...new Set(outputs.map(({ txid }) => txid))]
  const { confirmations } = config.chains[blockchain]
  const deeper = await readDeeper({ db, blockchain, config }, txids)
  try {
    const known = await readWalletTransactions(rpc, txids)
    const found = new Map(txids.map((txid, index) => [txid, known[index]]))
    return new Map(
      outputs.map((output) => {
        const { txid } = output
        const terms = { confirmations: Math.max(confirmations, deeper.get(txid) ?? 0), now }
        return [txid, isLost(output, found.get(txid), terms)]
      }),
    )
  } catch (error) {
    console.warn('deposits_not_asked', blockchain, error)
    return new Map()
  }
}
