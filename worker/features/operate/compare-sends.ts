import { BLOCKCHAINS, type Blockchain } from '../../../protocol/chains.ts'
import { type BlockPosition, selectBlocks, selectScanned, selectTip, WINDOW } from '../../chain/follower/blocks.ts'
import { raisePayoutNumberStatements, selectPayoutNumber } from '../../chain/follower/payout-numbers.ts'
import { selectStops } from '../../chain/follower/stops.ts'
import { listSends, type WalletSend } from '../../chain/rpc/transaction-methods.ts'
import { CALLER_TIMEOUT_MS, callNode, RpcError, type WalletRpc, walletRpc } from '../../chain/rpc/wallet-rpc.ts'
import type { Config } from '../../platform/config/config.ts'
import { batchIf } from '../../platform/d1/guarded-batch.ts'
import { insertAuditStatement } from '../../platform/records/audit-log.ts'
import { insertSendsStatement } from '../wallet/sql/list-sends.ts'
import { selectSendScan, selectUnknown, upsertSendScanStatement } from './sql/sends.ts'

/** Between two searches of a wallet for what left it, in milliseconds. */
const EVERY = 3_600_000
/** Maximum number of unknown sends that one comparison lists. */
const MOST = 1_000

/** Compares, where an hour has passed or the database was restored since, what left each wallet with what was signed. */
export async function compareSendsWhenDue(db: D1Database, config: Pick<Config, 'chains'>, now: number): Promise<void> {
  for (const blockchain of BLOCKCHAINS) {
    const rpc = walletRpc(config.chains[blockchain], CALLER_TIMEOUT_MS)
    if (!rpc) continue
    const scan = await selectSendScan(db, blockchain)
    const restored = (await selectStops(db, blockchain)).find(({ cause }) => cause === 'restored')
    const isDue = !scan || now - scan.comparedAt >= EVERY || (restored && restored.since > scan.comparedAt)
    if (!isDue) continue
    try {
      await compareSends(db, rpc, blockchain, now)
    } catch (error) {
      console.error('sends_not_compared', blockchain, error)
    }
  }
}

/**
 * Lists transactions that left a wallet since the last search and that the database does not know: it was restored to
 * an earlier time, or somebody else spends from the wallet. The first time, unmined transactions count as assigned and
 * those in blocks are not searched. But if the database was restored to before that time, or the wallet was searched
 * whole since, for a rescan had found something, all that ever left the wallet is listed. The first time counts as a
 * payout, so that the chain's agent knows of it.
 * @throws {NodeError} {@link RpcError}
 */
export async function compareSends(db: D1Database, rpc: WalletRpc, blockchain: Blockchain, now: number): Promise<void> {
  const tip = await selectTip(db, blockchain)
  if (!tip) return
  // Fails where the wallet can't be used, as one that is not loaded: it would list too little.
  await callNode(rpc, 'getwalletinfo')
  const scan = await selectSendScan(db, blockchain)
  const isRestored = (await selectStops(db, blockchain)).some(({ cause }) => cause === 'restored')
  const isFirst = !scan && !isRestored
  const { searchedAt = 0 } = (await selectScanned(db, blockchain)) ?? {}
  const isSearched = scan !== undefined && searchedAt > scan.comparedAt
  const from = isFirst ? tip : isSearched ? undefined : scan
  const { sends, above } = await listSince(db, rpc, blockchain, from)
  const unknown = await selectUnknown(
    db,
    blockchain,
    sends.map(({ txid }) => txid),
    above,
  )
  const found = sends.filter(({ txid }) => unknown.has(txid)).slice(0, MOST)
  const number = isFirst ? await selectPayoutNumber(db, blockchain) : 0
  const compared = await batchIf(db, [
    ...(isFirst ? raisePayoutNumberStatements(db, blockchain, { from: number, to: number + 1 }) : []),
    insertSendsStatement(db, blockchain, found, { now, assigned: isFirst ? 'foreign' : undefined }),
    // If there are more sends than one comparison lists, the next search begins at the same block.
    ...(isFirst || found.length < MOST ? [upsertSendScanStatement(db, blockchain, tip, now)] : []),
    ...(isFirst ? [insertAuditStatement(db, firstAudit(blockchain, tip.height, now))] : []),
  ])
  if (compared && !isFirst && found.length > 0)
    console.error('sends_unknown', blockchain, found.map(({ txid }) => txid).join())
}

function firstAudit(blockchain: Blockchain, height: number, at: number) {
  const reason = 'What left the wallet before this block counts as assigned.'
  return { at, actor: 'service', act: 'sends.assigned', subject: `block:${height}`, reason, blockchain } as const
}

/** What left the wallet above a block, or ever, and the height of the block from which the node was queried. */
async function listSince(
  db: D1Database,
  rpc: WalletRpc,
  blockchain: Blockchain,
  block: BlockPosition | undefined,
): Promise<{ sends: WalletSend[]; above: number }> {
  if (!block) return { sends: await listSends(rpc, undefined), above: -1 }
  const { hash, height } = block
  try {
    return { sends: await listSends(rpc, hash), above: height }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    // A node that was set up again has never seen a block that is off the chain by now.
    const oldest = (await selectBlocks(db, blockchain, WINDOW)).at(-1)
    if (!oldest || oldest.hash === hash) throw error
    return { sends: await listSends(rpc, oldest.hash), above: Math.min(height, oldest.height) }
  }
}
