import { dustLimit } from '../accept-transaction.ts'
import { deriveLedgerTransaction } from '../ledger-transaction.ts'
import { rejectionText } from '../rejection.ts'
import type { Method } from './method.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** What a wallet adds to a rate when it raises a fee, base units per 1,000 vbytes (WALLET_INCREMENTAL_RELAY_FEE). */
const WALLET_INCREMENT = 5_000n

/** `bumpfee`: replaces a waiting payment by the same payment with a higher fee, which reduces the change. */
export const bumpfee: Method['run'] = (context, params) => {
  const { node } = context
  const wallet = context.signer(context.wallet())
  const txid = params.hash(0, 'txid')
  const known = wallet.transactions.get(txid)
  if (!known) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Invalid or non-wallet transaction id')
  const entry = node.mempool.entries.get(txid)
  if (!entry) {
    throw new RpcError(RPC.WALLET, 'Transaction has been mined, or is conflicted with a mined transaction')
  }
  if (entry.children.size > 0) {
    throw new RpcError(RPC.INVALID_PARAMETER, 'Transaction has descendants in the mempool')
  }
  const { transaction, fee: origfee } = entry
  const coins = transaction.outpoints.map((name) => wallet.coin(name))
  if (coins.some((coin) => coin === undefined)) {
    throw new RpcError(RPC.WALLET, "Transaction contains inputs that don't belong to this wallet")
  }
  const vsize = BigInt(transaction.vsize)
  const raised = (origfee * 1000n) / vsize + WALLET_INCREMENT + 1n
  const rate = node.walletFeeRate > raised ? node.walletFeeRate : raised
  const fee = (rate * vsize + 999n) / 1000n
  // The wallet spends its own change first.
  const change = transaction.outputs.findLastIndex(({ script }) => wallet.keyFor(script) !== undefined)
  const outputs = transaction.outputs.map((output, vout) =>
    vout === change ? { ...output, value: output.value - (fee - origfee) } : output,
  )
  const left = outputs[change]
  if (!left || left.value < dustLimit(left.script, node.settings)) {
    throw new RpcError(RPC.WALLET, 'Unable to create transaction. Insufficient funds')
  }
  const inputs = transaction.inputs.map((input) => ({ ...input, script: new Uint8Array(0), witness: [] }))
  const unsigned = { version: transaction.version, inputs, outputs, lockTime: transaction.lockTime }
  for (const [index, coin] of coins.entries()) {
    if (coin) wallet.sign(unsigned, index, { value: coin.value, script: coin.key.script })
  }
  const bumped = deriveLedgerTransaction(unsigned)
  const refused = node.submit(bumped)
  if (refused) throw new RpcError(RPC.WALLET, rejectionText(refused, node.settings))
  wallet.replaced.set(txid, bumped.txid)
  return { txid: bumped.txid, origfee, fee, errors: [] }
}
