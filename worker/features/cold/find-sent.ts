import { CHAINS } from '../../../protocol/chains.ts'
import { decodeTransaction, outpointOf, unsignedId } from '../../../protocol/transaction.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { findSpenders } from '../../chain/rpc/find-spenders.ts'
import { readUnspent, readWalletTransactions } from '../../chain/rpc/transaction-methods.ts'
import { readRawPayout } from './raw-payout.ts'
import type { HandedPsbt, PsbtInput } from './sql/psbts.ts'

/** What the node knows of a handed-out transaction. */
export interface PsbtFate {
  /** It, as it was signed, where somebody has sent it. */
  sent: Uint8Array | undefined
  /** Another transaction in a block spends a coin of it. */
  isOver: boolean
}

/** A handed-out transaction with what it spends. */
export interface PsbtToFind {
  handed: HandedPsbt
  spends: readonly PsbtInput[]
}

/** What became of transactions that were handed out, in their order. @throws {NodeError} {@link RpcError} */
export async function findSent(context: AgentContext, psbts: readonly PsbtToFind[]): Promise<PsbtFate[]> {
  return CHAINS[context.blockchain].segwit ? await findByTxid(context, psbts) : await findBySpent(context, psbts)
}

/** With segwit the txid is known before it is signed. */
async function findByTxid({ rpc }: AgentContext, psbts: readonly PsbtToFind[]): Promise<PsbtFate[]> {
  const known = await readWalletTransactions(
    rpc,
    psbts.map(({ handed }) => handed.txid),
  )
  const fates: PsbtFate[] = []
  for (const [index, { handed, spends }] of psbts.entries()) {
    const found = known[index]
    const sent = found && found.confirmations >= 0 ? found.bytes : undefined
    const isOpen = !sent && handed.signed === undefined
    fates.push({ sent, isOver: isOpen && (await readUnspent(rpc, spends)).includes(false) })
  }
  return fates
}

/**
 * Without segwit each signature makes another txid: it is found by what it spends, and is the one that was handed out where it is the same
 * without signatures.
 */
async function findBySpent({ rpc }: AgentContext, psbts: readonly PsbtToFind[]): Promise<PsbtFate[]> {
  const outputs = psbts.flatMap(({ spends }) => spends)
  const unspent = await readUnspent(rpc, outputs, { mempool: true })
  const spent = new Set(outputs.filter((_, index) => !unspent[index]).map(outpointOf))
  const touched = psbts.filter(({ spends }) => spends.some((one) => spent.has(outpointOf(one))))
  const spenders = new Map<string, { id: string; bytes: Uint8Array; isMined: boolean }>()
  for (const [since, part] of Map.groupBy(touched, ({ handed }) => readRawPayout(handed.psbt).since)) {
    const found = await findSpenders(
      rpc,
      since,
      part.flatMap(({ spends }) => spends),
    )
    for (const [name, { bytes, confirmations }] of found)
      spenders.set(name, { id: unsignedId(decodeTransaction(bytes)), bytes, isMined: confirmations > 0 })
  }
  return psbts.map(({ handed, spends }) => {
    const own = spends.flatMap((one) => spenders.get(outpointOf(one)) ?? [])
    const sent = own.find(({ id }) => id === handed.txid)
    return { sent: sent?.bytes, isOver: !sent && own.some(({ isMined }) => isMined) }
  })
}
