import { acceptPackage, isChildWithParents, type PackageResult } from '../accept-package.ts'
import { isUnspendable } from '../chain.ts'
import type { LedgerTransaction } from '../ledger-transaction.ts'
import type { NodeSettings } from '../node-settings.ts'
import { rejectionText } from '../rejection.ts'
import type { Json } from './exact-json.ts'
import { type Method, type Methods, method } from './method.ts'
import { toArray, toText } from './params.ts'
import { toFeeRate, toTransaction } from './raw-transaction-methods.ts'
import { RPC, RpcError } from './rpc-error.ts'

const MAX_PACKAGE_COUNT = 25

function describeResult(
  { txid, vsize }: LedgerTransaction,
  result: PackageResult | undefined,
  settings: NodeSettings,
): Json {
  if (!result) return { txid, error: 'package-not-validated' }
  if (result.state === 'refused') return { txid, error: rejectionText(result.rejection, settings) }
  if (result.state === 'waiting') return { txid, vsize, fees: { base: result.fee } }
  const fees = { base: result.fee, 'effective-feerate': result.rate, 'effective-includes': result.includes }
  return { txid, vsize, fees }
}

const submitpackage: Method['run'] = ({ node }, params) => {
  const raw = toArray(params.values[0])
  if (raw.length < 1 || raw.length > MAX_PACKAGE_COUNT) {
    const text = `Array must contain between 1 and ${MAX_PACKAGE_COUNT} transactions.`
    throw new RpcError(RPC.INVALID_PARAMETER, text)
  }
  const maxRate = params.has(1) ? toFeeRate(params) : node.settings.maxFee
  const maxBurn = params.has(2) ? params.amount(2) : 0n
  const transactions = raw.map((item) => toTransaction(toText(item), node.settings))
  if (transactions.some(({ outputs }) => outputs.some((one) => isUnspendable(one.script) && one.value > maxBurn))) {
    throw new RpcError(RPC.VERIFY, 'Unspendable output exceeds maximum configured by user (maxburnamount)')
  }
  if (transactions.length > 1 && !isChildWithParents(transactions)) {
    const text = 'package topology disallowed. not child-with-parents or parents depend on each other.'
    throw new RpcError(RPC.VERIFY, text)
  }
  const { message, results, replaced } = acceptPackage(node, transactions, maxRate)
  return {
    package_msg: message,
    'tx-results': Object.fromEntries(
      transactions.map((one) => [one.wtxid, describeResult(one, results.get(one.wtxid), node.settings)]),
    ),
    'replaced-transactions': replaced,
  }
}

/** RPC methods about packages of transactions. */
export const packageMethods: Methods = {
  submitpackage: method('package maxfeerate? maxburnamount?', submitpackage),
}
