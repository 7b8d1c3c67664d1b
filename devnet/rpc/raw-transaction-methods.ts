import { fromHex, toHex } from '../../protocol/bytes.ts'
import { writeOpReturn } from '../../protocol/op-return.ts'
import { encodeTransaction, type Transaction, TransactionError } from '../../protocol/transaction.ts'
import { addressScript } from '../address.ts'
import { isUnspendable } from '../chain.ts'
import { checkInput } from '../check-input.ts'
import { feeFor } from '../fee-rate.ts'
import { type LedgerTransaction, outpoint, readLedgerTransaction } from '../ledger-transaction.ts'
import type { Node } from '../node.ts'
import type { NodeSettings } from '../node-settings.ts'
import { type Rejection, rejectionText } from '../rejection.ts'
import type { SpentOutput } from '../signature-hash.ts'
import { describeScript, describeTransaction } from './describe-transaction.ts'
import { type Json, JsonNumber } from './exact-json.ts'
import { findBlock } from './find-block.ts'
import { type CallContext, type Method, type Methods, method } from './method.ts'
import { type Params, toAmount, toArray, toHash, toInteger, toObject, toText } from './params.ts'
import { RPC, RpcError } from './rpc-error.ts'

const MAX_UINT32 = 0xffffffff
const SIGHASHES = new Map([
  ['DEFAULT', 1],
  ['ALL', 1],
  ['NONE', 2],
  ['SINGLE', 3],
  ['ALL|ANYONECANPAY', 0x81],
  ['NONE|ANYONECANPAY', 0x82],
  ['SINGLE|ANYONECANPAY', 0x83],
])

/** A transaction in hex. @throws {RpcError} -22 */
export function toTransaction(hex: string, settings: NodeSettings): LedgerTransaction {
  const bytes = fromHex(hex)
  try {
    if (bytes) return readLedgerTransaction(bytes)
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error
  }
  const hint = settings.dialect === 'core' ? '. Make sure the tx has at least one input.' : ''
  throw new RpcError(RPC.DESERIALIZATION, `TX decode failed${hint}`)
}

/** The outputs of createrawtransaction and its like. @throws {RpcError} -3, -5, -8 */
function toOutputs(value: unknown, settings: NodeSettings): Transaction['outputs'] {
  const entries =
    Array.isArray(value) && settings.dialect === 'core'
      ? value.flatMap((item) => Object.entries(toObject(item)))
      : Object.entries(toObject(value))
  const seen = new Set<string>()
  return entries.map(([name, amount]) => {
    if (name === 'data') {
      const data = fromHex(toText(amount))
      if (!data) {
        throw new RpcError(RPC.INVALID_PARAMETER, `Data must be hexadecimal string (not '${toText(amount)}')`)
      }
      return { value: 0n, script: writeOpReturn(data) }
    }
    const script = addressScript(name, settings.address)
    if (!script) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, `Invalid ${settings.blockchain} address: ${name}`)
    if (seen.has(name)) throw new RpcError(RPC.INVALID_PARAMETER, `Invalid parameter, duplicated address: ${name}`)
    seen.add(name)
    return { value: toAmount(amount), script }
  })
}

function toInputs(value: unknown[], lockTime: number, replaceable: boolean): Transaction['inputs'] {
  return value.map((item) => {
    const input = toObject(item)
    const txid = toHash(input.txid, 'txid')
    if (!(input.vout instanceof JsonNumber)) {
      throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid parameter, missing vout key')
    }
    const vout = toInteger(input.vout)
    if (vout < 0 || vout > MAX_UINT32) {
      throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid parameter, vout cannot be negative')
    }
    const usual = replaceable ? 0xfffffffd : lockTime > 0 ? 0xfffffffe : 0xffffffff
    const sequence = input.sequence === undefined ? usual : toInteger(input.sequence)
    if (sequence < 0 || sequence > MAX_UINT32) {
      throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid parameter, sequence number is out of range')
    }
    return { txid, vout, script: new Uint8Array(0), sequence, witness: [] }
  })
}

/** The spent outputs of a transaction, from the caller or from this node. */
function spentOutputs(node: Node, given: unknown[]): (name: string) => SpentOutput | undefined {
  const known = new Map<string, SpentOutput>()
  for (const item of given) {
    const output = toObject(item)
    const script = fromHex(toText(output.scriptPubKey))
    if (!script) throw new RpcError(RPC.INVALID_PARAMETER, 'scriptPubKey must be hexadecimal string')
    const value = output.amount === undefined ? 0n : toAmount(output.amount)
    known.set(outpoint(toHash(output.txid, 'txid'), toInteger(output.vout)), { value, script })
  }
  return (name) => node.output(name) ?? known.get(name)
}

function signTransaction({ node, signer }: CallContext, params: Params, hashTypeIndex: number): Json {
  const transaction = toTransaction(params.text(0), node.settings)
  const find = spentOutputs(node, params.list(1))
  const name = params.text(hashTypeIndex, 'ALL')
  const hashType = SIGHASHES.get(name)
  if (hashType === undefined) throw new RpcError(RPC.INVALID_PARAMETER, `'${name}' is not a valid sighash parameter.`)
  const inputs = transaction.inputs.map((input) => ({ ...input }))
  const signed: Transaction = { ...transaction, inputs }
  const errors: Json[] = []
  const wallet = signer()
  for (const [index, input] of inputs.entries()) {
    const spent = find(transaction.outpoints[index] ?? '')
    const mine = spent && wallet.sign(signed, index, spent, hashType)
    if (mine) continue
    const failure = spent ? checkInput(signed, index, spent) : 'Input not found or already spent'
    if (!failure) continue
    const keyless = spent && input.script.length === 0 && input.witness.length === 0
    errors.push({
      txid: input.txid,
      vout: input.vout,
      witness: node.settings.dialect === 'core' ? input.witness.map(toHex) : undefined,
      scriptSig: toHex(input.script),
      sequence: input.sequence,
      error: keyless ? 'Unable to sign input, invalid stack size (possibly missing key)' : failure,
    })
  }
  const hex = toHex(encodeTransaction(signed))
  return { hex, complete: errors.length === 0, errors: errors.length > 0 ? errors : undefined }
}

function sendTransaction({ node }: CallContext, params: Params): Json {
  const { settings, chain, mempool } = node
  const core = settings.dialect === 'core'
  const transaction = toTransaction(params.text(0), settings)
  const unlimited = core ? false : params.boolean(1, false)
  const maxRate = core && params.has(1) ? toFeeRate(params) : settings.maxFee
  if (core) {
    const maxBurn = params.has(2) ? params.amount(2) : 0n
    if (transaction.outputs.some(({ value, script }) => isUnspendable(script) && value > maxBurn)) {
      throw new RpcError(RPC.VERIFY, 'Unspendable output exceeds maximum configured by user (maxburnamount)')
    }
  }
  if (transaction.outputs.some((_, vout) => chain.coins.has(outpoint(transaction.txid, vout)))) {
    const text = core ? 'Transaction outputs already in utxo set' : 'transaction already in block chain'
    throw new RpcError(RPC.ALREADY_IN_CHAIN, text)
  }
  if (mempool.entries.has(transaction.txid)) return transaction.txid
  const outcome = node.test(transaction)
  if ('reason' in outcome) throw rejection(outcome, settings)
  const most = core ? feeFor(maxRate, transaction.vsize, settings) : settings.maxFee
  if (!unlimited && !(core && maxRate === 0n) && outcome.fee > most) {
    if (!core) throw new RpcError(RPC.VERIFY_REJECTED, '256: absurdly-high-fee')
    throw new RpcError(RPC.VERIFY, 'Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)')
  }
  const refused = node.submit(transaction)
  if (refused) throw rejection(refused, settings)
  return transaction.txid
}

/** `maxfeerate`, the second argument of sendrawtransaction, testmempoolaccept and submitpackage. @throws {RpcError} -8 */
export function toFeeRate(params: Params): bigint {
  const rate = params.amount(1)
  if (rate >= 100_000_000n) {
    throw new RpcError(RPC.INVALID_PARAMETER, 'Fee rates larger than or equal to 1BTC/kvB are not accepted')
  }
  return rate
}

function rejection(outcome: Rejection, settings: NodeSettings): RpcError {
  if (!outcome.missingInputs) return new RpcError(RPC.VERIFY_REJECTED, rejectionText(outcome, settings))
  return new RpcError(RPC.VERIFY, settings.dialect === 'core' ? outcome.reason : 'Missing inputs')
}

const getrawtransaction: Method['run'] = ({ node }, params) => {
  const txid = params.hash(0, 'parameter 1')
  const core = node.settings.dialect === 'core'
  const verbosity = params.verbosity(1, 0)
  const inBlock =
    core && params.has(2) ? findBlock(node, params.hash(2, 'parameter 3'), 'Block hash not found') : undefined
  if (node.chain.active[0]?.transactions[0]?.txid === txid) {
    const message = 'The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved'
    throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, message)
  }
  const confirmed = inBlock
    ? { block: inBlock, transaction: inBlock.transactions.find((candidate) => candidate.txid === txid) }
    : node.chain.confirmed.get(txid)
  const transaction = confirmed?.transaction ?? (inBlock ? undefined : node.mempool.entries.get(txid)?.transaction)
  if (!transaction) {
    const where = inBlock
      ? 'No such transaction found in the provided block'
      : 'No such mempool or blockchain transaction'
    throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, `${where}. Use gettransaction for wallet transactions.`)
  }
  if (verbosity <= 0) return toHex(transaction.raw)
  const block = confirmed?.block
  const inChain = block && node.chain.isActive(block)
  return {
    in_active_chain: inBlock && node.chain.isActive(inBlock),
    ...describeTransaction(transaction, node.settings),
    hex: toHex(transaction.raw),
    blockhash: block?.hash,
    confirmations: block && (inChain ? node.chain.confirmations(block) : 0),
    time: inChain ? block.time : undefined,
    blocktime: inChain ? block.time : undefined,
  }
}

const createrawtransaction: Method['run'] = ({ node }, params) => {
  const lockTime = params.integer(2, 0)
  if (lockTime < 0 || lockTime > MAX_UINT32) {
    throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid parameter, locktime out of range')
  }
  const core = node.settings.dialect === 'core'
  const outputs = params.values[1]
  const transaction: Transaction = {
    version: core ? 2 : 1,
    inputs: toInputs(toArray(params.values[0]), lockTime, core && params.boolean(3, true)),
    outputs: toOutputs(outputs, node.settings),
    lockTime,
  }
  return toHex(encodeTransaction(transaction))
}

const testmempoolaccept: Method['run'] = ({ node }, params) => {
  const raw = toArray(params.values[0])
  if (raw.length < 1 || raw.length > 25) {
    throw new RpcError(RPC.INVALID_PARAMETER, 'Array must contain between 1 and 25 transactions.')
  }
  const maxRate = params.has(1) ? toFeeRate(params) : node.settings.maxFee
  return raw.map((item) => {
    const transaction = toTransaction(toText(item), node.settings)
    const { txid, wtxid, vsize } = transaction
    const known = transaction.outputs.some((_, vout) => node.chain.coins.has(outpoint(txid, vout)))
    const outcome = known ? { reason: 'txn-already-known', code: 18 } : node.test(transaction)
    if ('reason' in outcome) {
      const refused = { txid, wtxid, allowed: false }
      if ('missingInputs' in outcome && outcome.missingInputs) return { ...refused, 'reject-reason': 'missing-inputs' }
      return { ...refused, 'reject-reason': outcome.reason, 'reject-details': rejectionText(outcome, node.settings) }
    }
    if (maxRate > 0n && outcome.fee > feeFor(maxRate, vsize, node.settings)) {
      return { txid, wtxid, allowed: false, 'reject-reason': 'max-fee-exceeded' }
    }
    const rate = (outcome.fee * 1000n) / BigInt(vsize)
    const fees = { base: outcome.fee, 'effective-feerate': rate, 'effective-includes': [wtxid] }
    return { txid, wtxid, allowed: true, vsize, fees }
  })
}

/** RPC methods about raw transactions. */
export const rawTransactionMethods: Methods = {
  getrawtransaction: method('txid verbosity? blockhash?', getrawtransaction),
  createrawtransaction: method('inputs outputs locktime? replaceable?', createrawtransaction),
  decoderawtransaction: method('hexstring iswitness?', ({ node }, params) =>
    describeTransaction(toTransaction(params.text(0), node.settings), node.settings),
  ),
  decodescript: method('hexstring', ({ node }, params) => {
    const script = fromHex(params.text(0))
    if (!script) throw new RpcError(RPC.INVALID_PARAMETER, 'argument must be hexadecimal string')
    const { hex: _, ...described } = describeScript(script, node.settings)
    return described
  }),
  sendrawtransaction: method('hexstring maxfeerate? maxburnamount?', sendTransaction),
  signrawtransactionwithwallet: method('hexstring prevtxs? sighashtype?', (context, params) =>
    signTransaction(context, params, 2),
  ),
  testmempoolaccept: method('rawtxs maxfeerate?', testmempoolaccept),
}

/** Methods that differ in Dogecoin Core 1.14, or whose arguments do. */
export const dogecoinRawTransactionMethods: Methods = {
  createrawtransaction: method('inputs outputs locktime?', createrawtransaction),
  getrawtransaction: method('txid verbose?', getrawtransaction),
  sendrawtransaction: method('hexstring allowhighfees?', sendTransaction),
  signrawtransaction: method('hexstring prevtxs? privkeys? sighashtype?', (context, params) =>
    signTransaction(context, params, 3),
  ),
}
