import type { Blockchain } from '../../../protocol/chains.ts'
import { readStripped } from '../../../protocol/transaction.ts'
import { feeFor } from '../../../protocol/transaction-size.ts'
import { readLeastFeeRate } from '../../chain/rpc/fund-methods.ts'
import {
  readUnspent,
  readWalletTransactions,
  SigningError,
  signTransactions,
} from '../../chain/rpc/transaction-methods.ts'
import type { WalletRpc } from '../../chain/rpc/wallet-rpc.ts'
import { invalidField } from '../../platform/http/errors.ts'
import { findRawProblem, readRawPayout } from './raw-payout.ts'

const PROBLEMS = {
  foreign: 'must be the transaction that was offered, signed: this is not a transaction, or another one.',
  unsigned: 'lacks signatures.',
  partial:
    'must have one signature of SIGHASH_ALL and its public key in each input: others let a miner change what it pays.',
}

/**
 * The hex of a raw transaction that was returned signed, whose signatures the node found valid. The wallet of the node has no key of
 * what it spends, and signs nothing. @throws {AppError} 400; {@link NodeError} {@link RpcError}
 */
export async function finishRaw(rpc: WalletRpc, blockchain: Blockchain, handed: string, back: string): Promise<string> {
  const given = readRawPayout(handed)
  const problem = findRawProblem(back, given)
  if (problem) throw invalidField('hex', PROBLEMS[problem])
  const [hex] = await signTransactions(rpc, blockchain, [{ hex: back, spent: given.spent }])
  if (hex === undefined || hex instanceof SigningError) {
    throw invalidField('hex', 'has a signature that is not valid for what it spends.')
  }
  const changed = findRawProblem(hex, given)
  if (changed) throw invalidField('hex', PROBLEMS[changed])
  return hex
}

/**
 * Why a node of the 1.14 family, which lacks `testmempoolaccept`, would not take a signed transaction of ours now; `undefined` where
 * it would. Its form, its outputs and its signatures are known to be right. @throws {NodeError} {@link RpcError}
 */
export async function findRawRejectReason(
  rpc: WalletRpc,
  blockchain: Blockchain,
  handed: { psbt: string; fee: bigint },
  hex: string,
): Promise<string | undefined> {
  const { txid, bytes } = readStripped(Buffer.from(hex, 'hex'))
  const [known] = await readWalletTransactions(rpc, [txid])
  // It is there already.
  if (known && known.confirmations >= 0) return undefined
  const { spent } = readRawPayout(handed.psbt)
  if ((await readUnspent(rpc, spent, { mempool: true })).includes(false)) {
    return 'another transaction spends one of its inputs'
  }
  const least = feeFor(bytes.length, await readLeastFeeRate(rpc, blockchain))
  return handed.fee < least ? 'min relay fee not met' : undefined
}
