import { NodeError } from './rpc-transport.ts'
import { asObject, callNode, RpcError, type WalletRpc } from './wallet-rpc.ts'

/** The index of transactions of a node; `unknown` where it does not say (Dogecoin Core, or a proxy that refuses the call). */
export type TransactionIndex = 'complete' | 'building' | 'missing' | 'unknown'

/** How far a node's index of transactions (`txindex`) is, by `getindexinfo` (Bitcoin Core from 0.21 on). */
export async function readTransactionIndex(rpc: WalletRpc): Promise<TransactionIndex> {
  try {
    const { txindex } = asObject(await callNode(rpc, 'getindexinfo', ['txindex']), 'getindexinfo')
    if (txindex === undefined) return 'missing'
    return asObject(txindex, 'txindex').synced === true ? 'complete' : 'building'
  } catch (error) {
    if (error instanceof RpcError || error instanceof NodeError) return 'unknown'
    throw error
  }
}
