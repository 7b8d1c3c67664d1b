import { BLOCKCHAINS, type Blockchain, isBlockchain } from '../../../protocol/chains.ts'
import { readWalletTransactions } from '../../chain/rpc/transaction-methods.ts'
import { unixSecondsOrNull } from '../../platform/clock.ts'
import { cutPage } from '../../platform/d1/page-key.ts'
import { coinsJson, listJson } from '../../platform/http/coins-json.ts'
import { invalidCursor } from '../../platform/http/errors.ts'
import { readDeeper } from '../payments/confirmations-above.ts'
import type { PaymentContext } from '../payments/payment-context.ts'
import { type Output, selectUnminedCredited } from '../payments/sql/outputs.ts'

type Suspended = Awaited<ReturnType<typeof selectUnminedCredited>>[number]

/** Deposits of one page. */
const PAGE = 100

/**
 * A page of the credited outputs that are in no block now, as JSON text. `lost` is true if another transaction has replaced
 * theirs with the confirmations that a payment needs, so that they can be written off; null if the node can't be queried.
 * @throws {AppError} 400 for the cursor.
 */
export async function lostDeposits(context: PaymentContext, cursor: string | undefined): Promise<string> {
  const after = parseCursor(cursor)
  const found: (Suspended & { blockchain: Blockchain })[] = []
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
  { db, config, rpcOf }: PaymentContext,
  blockchain: Blockchain,
  outputs: readonly Output[],
): Promise<Map<string, boolean>> {
  const rpc = rpcOf(blockchain)
  if (!rpc) return new Map()
  const txids = [...new Set(outputs.map(({ txid }) => txid))]
  const { confirmations } = config.chains[blockchain]
  const deeper = await readDeeper({ db, blockchain, config }, txids)
  const needed = (txid: string) => Math.max(confirmations, deeper.get(txid) ?? 0)
  try {
    const known = await readWalletTransactions(rpc, txids)
    return new Map(txids.map((txid, index) => [txid, (known[index]?.confirmations ?? 0) <= -needed(txid)]))
  } catch (error) {
    console.warn('deposits_not_asked', blockchain, error)
    return new Map()
  }
}
