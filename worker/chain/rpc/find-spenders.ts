import { decodeTransaction, outpointOf } from '../../../protocol/transaction.ts'
import { foldHistory, readWalletTransactions } from './transaction-methods.ts'
import { asText, type WalletRpc } from './wallet-rpc.ts'

/** A transaction of the wallet that spends an output. */
export interface Spender {
  txid: string
  bytes: Uint8Array
  /** 0 while it is in no block. */
  confirmations: number
}

/**
 * What spends some outputs of an address that the wallet only watches, by `txid:vout`: transactions in blocks after the one with the
 * hash `since`, and those that wait for a block. Of several that spend one output the one in a block. @throws {NodeError} {@link RpcError}
 */
export async function findSpenders(
  rpc: WalletRpc,
  since: string,
  outputs: readonly { txid: string; vout: number }[],
): Promise<Map<string, Spender>> {
  const txids = new Set<string>()
  await foldHistory(rpc, since, async (items) => {
    for (const { category, involvesWatchonly, txid } of items) {
      // Customers' payments and items are of the wallet's own keys.
      if (category === 'send' && involvesWatchonly === true) txids.add(asText(txid, 'txid'))
    }
  })
  const names = [...txids]
  const wanted = new Set(outputs.map(outpointOf))
  const spenders = new Map<string, Spender>()
  for (const [index, known] of (await readWalletTransactions(rpc, names)).entries()) {
    const txid = names[index]
    if (!known || txid === undefined || known.confirmations < 0) continue
    const { bytes, confirmations } = known
    for (const input of decodeTransaction(bytes).inputs) {
      const name = outpointOf(input)
      const other = spenders.get(name)
      if (wanted.has(name) && (!other || other.confirmations < confirmations))
        spenders.set(name, { txid, bytes, confirmations })
    }
  }
  return spenders
}
