import { toHex } from '../../../../protocol/bytes.ts'
import type { Blockchain } from '../../../../protocol/chains.ts'
import { decodeTransaction } from '../../../../protocol/transaction.ts'
import type { RpcOutcome } from '../../../chain/rpc/rpc-transport.ts'
import {
  readInMempool,
  readWalletTransactions,
  sendTransactions,
  type WalletTransaction,
} from '../../../chain/rpc/transaction-methods.ts'
import type { WalletRpc } from '../../../chain/rpc/wallet-rpc.ts'
import { readBroadcastOutcome } from './broadcast-outcome.ts'

/** Transactions that are sent again at most: no mempool has a longer chain of them. */
const MOST = 100

/** Whether a transaction of the wallet is in no block and may still be mined. */
export function isPending(known: WalletTransaction | undefined): known is WalletTransaction {
  return known?.confirmations === 0 && !known.abandoned
}

/**
 * Sends transactions of the wallet again that a reorganisation unconfirmed and that the mempool has lost, and before
 * them their ancestors in the wallet that it has lost, too: a wallet may be slow to send them, or set up not to.
 * Returns the node's error where it refuses one of `lost` because of its inputs or for good.
 * @throws {NodeError} {@link RpcError}
 */
export async function sendLostSources(
  rpc: WalletRpc,
  blockchain: Blockchain,
  lost: readonly WalletTransaction[],
): Promise<string | undefined> {
  const again = [...lost]
  for (let level = lost; level.length > 0 && again.length < MOST; ) {
    const inputs = level.flatMap(({ bytes }) => decodeTransaction(bytes).inputs)
    const sources = [...new Set(inputs.map(({ txid }) => txid))].slice(0, MOST)
    const known = await readWalletTransactions(rpc, sources)
    const waiting = await readInMempool(rpc, sources)
    level = known.filter((_, index) => !waiting.has(sources[index] ?? '')).filter(isPending)
    again.unshift(...level)
  }
  const calls = again.map(({ bytes }) => ({ hex: toHex(bytes), anyFee: true }))
  const outcomes = calls.length > 0 ? await sendTransactions(rpc, blockchain, calls) : []
  const refused = outcomes.slice(outcomes.length - lost.length).find((outcome) => isGone(outcome))
  return refused && 'error' in refused ? refused.error.message : undefined
}

/** Whether a node's answer says more of a transaction than that its mempool has no room for it now. */
function isGone(outcome: RpcOutcome): boolean {
  const kind = readBroadcastOutcome(outcome)
  return kind === 'missing' || kind === 'conflict' || kind === 'refused'
}
