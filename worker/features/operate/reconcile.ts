import { inWords } from '../../../contract/lifetimes.ts'
import { formatAmount } from '../../../protocol/amount.ts'
import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { selectTip } from '../../chain/follower/blocks.ts'
import { readBestBlock } from '../../chain/rpc/block-methods.ts'
import { listReceipts } from '../../chain/rpc/transaction-methods.ts'
import { CALLER_TIMEOUT_MS, type WalletRpc, walletRpc } from '../../chain/rpc/wallet-rpc.ts'
import type { Config } from '../../platform/config/config.ts'
import { sumLedger, sumMined } from '../payments/sql/money-sums.ts'
import { selectAddresses } from '../transactions/sql/addresses.ts'
import { sumUnassigned } from '../transactions/sql/sends.ts'
import { stopPayouts } from '../transactions/stop-payouts.ts'
import { differenceOf } from './difference-of.ts'
import { readHeld } from './read-held.ts'
import {
  claimReconciliation,
  hasOpenDifference,
  type Reconciliation,
  selectReconciliations,
  upsertReconciliationStatement,
} from './sql/reconciliations.ts'

/** How often a chain is compared before a difference is reported: movement during a comparison can cause one. */
const LOOKS = 3
/** The hour of the day, UTC, from which on the nightly comparison is made. */
const NIGHT_HOUR = 3
const DAY = 86_400_000
/** Between two comparisons that differ before payouts are stopped, in milliseconds. */
const DIFFERS_FOR = 600_000

/**
 * Compares, for each chain that a node is run for, what customers paid: as the ledger has it, as the node's wallet
 * received it, and as blocks have it whose Merkle roots were checked. Each is read on one block; what differs while
 * something moves is looked at again. What was found is stored. A chain whose node does not answer is left out.
 */
async function reconcile(db: D1Database, config: Pick<Config, 'chains'>, now: number): Promise<Reconciliation[]> {
  const found: Reconciliation[] = []
  const before = new Map((await selectReconciliations(db)).map((one) => [one.blockchain, one.differsSince]))
  for (const blockchain of BLOCKCHAINS) {
    const rpc = walletRpc(config.chains[blockchain], CALLER_TIMEOUT_MS)
    if (!rpc) continue
    try {
      const { steady, ...compared } = await compareSteadily({ db, config, rpc, blockchain, now })
      const differedSince = before.get(blockchain)
      const differsSince = differenceOf(compared) === 0n ? undefined : steady ? (differedSince ?? now) : differedSince
      found.push({ ...compared, differsSince })
    } catch (error) {
      console.error('reconciliation_failed', blockchain, error)
    }
  }
  // Together: who waits for them sees all or none.
  if (found.length > 0) await db.batch(found.map((one) => upsertReconciliationStatement(db, one)))
  for (const one of found) if (now - (one.differsSince ?? now) >= DIFFERS_FOR) await stopForDifference(db, one, now)
  return found
}

async function stopForDifference(db: D1Database, found: Reconciliation, now: number): Promise<void> {
  const { blockchain } = found
  const difference = formatAmount(differenceOf(found))
  const reason = `Ledger, wallet and chain differ by ${difference} in two comparisons with ${inWords(DIFFERS_FOR / 1000)} between: GET /v0/operate/reconciliation.`
  await stopPayouts(db, blockchain, { cause: 'difference', reason }, now)
}

/**
 * Compares at night, again ten minutes after a difference, and when the command that runs beside the service requests
 * it. Logs the result.
 */
export async function reconcileWhenDue(db: D1Database, config: Pick<Config, 'chains'>, now: number): Promise<void> {
  const today = now - (now % DAY) + NIGHT_HOUR * 3_600_000
  const night = now >= today ? today : today - DAY
  const due = (await hasOpenDifference(db, now - DIFFERS_FOR)) ? now - DIFFERS_FOR : night
  if (!(await claimReconciliation(db, Math.max(due, night), now))) return
  for (const one of await reconcile(db, config, now)) {
    const say = (name: 'ledger' | 'wallet' | 'chain' | 'owed' | 'held') => `${name} ${formatAmount(one[name])}`
    const text = `${say('ledger')}, ${say('wallet')}, ${say('chain')}; ${say('owed')}, ${say('held')}`
    const difference = differenceOf(one)
    if (difference === 0n) console.info('reconciled', one.blockchain, text)
    else console.error('reconciliation_differs', one.blockchain, formatAmount(difference), text)
    if (one.held < one.owed) console.error('wallet_below_balances', one.blockchain, text)
  }
}

/** The last comparison of each chain, made again first. */
export async function readReconciliations(
  db: D1Database,
  config: Pick<Config, 'chains'>,
  now: number,
): Promise<Reconciliation[]> {
  await reconcile(db, config, now)
  return await selectReconciliations(db)
}

type Compared = Omit<Reconciliation, 'differsSince'>

/** What one chain is compared with. */
interface CompareContext {
  db: D1Database
  config: Pick<Config, 'chains'>
  rpc: WalletRpc
  blockchain: Blockchain
  now: number
}

async function compareSteadily(context: CompareContext): Promise<Compared & { steady: boolean }> {
  const { db, rpc, blockchain } = context
  for (let look = 1; ; look++) {
    const [before, tip] = [await readBestBlock(rpc), await selectTip(db, blockchain)]
    const found = await compare(context)
    const steady = before.hash === tip?.hash && (await readBestBlock(rpc)).hash === before.hash
    if ((steady && differenceOf(found) === 0n) || look === LOOKS) return { ...found, steady }
  }
}

async function compare({ db, rpc, blockchain, now: readAt }: CompareContext): Promise<Compared> {
  const wallet = await sumReceipts(db, rpc, blockchain)
  const { mined, waiting } = await sumMined(db, blockchain)
  const { credited, owed } = await sumLedger(db, blockchain)
  const held = await readHeld(rpc)
  const unassigned = await sumUnassigned(db, blockchain)
  return { blockchain, ledger: credited + waiting, wallet, chain: mined, owed, held, unassigned, readAt }
}

/** The sum that the wallet received in blocks at addresses that were issued to customers. */
async function sumReceipts(db: D1Database, rpc: WalletRpc, blockchain: Blockchain): Promise<bigint> {
  let sum = 0n
  await listReceipts(rpc, async (part) => {
    const ours = await selectAddresses(db, blockchain, [...new Set(part.map(({ address }) => address))])
    const named = new Set(ours.map(({ address }) => address))
    for (const { address, amount } of part) if (named.has(address)) sum += amount
  })
  return sum
}
