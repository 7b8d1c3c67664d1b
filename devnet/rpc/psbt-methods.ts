import { concatBytes, toHex } from '../../protocol/bytes.ts'
import { type Psbt, PsbtError, type PsbtMap, readPsbt, writePsbt } from '../../protocol/psbt.ts'
import { compactSize, encodeTransaction, type Transaction } from '../../protocol/transaction.ts'
import { outpoint } from '../ledger-transaction.ts'
import type { Node } from '../node.ts'
import { fundFromWallet, InsufficientFunds } from '../pay-from-wallet.ts'
import type { Wallet } from '../wallet.ts'
import { toScript } from './address-methods.ts'
import type { Json } from './exact-json.ts'
import { type Method, type Methods, method } from './method.ts'
import { type Params, toAmount, toArray, toBoolean, toHash, toInteger, toObject, toText } from './params.ts'
import { toOutputs } from './raw-transaction-methods.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** Fields of an input (BIP 174): PSBT_IN_WITNESS_UTXO, PSBT_IN_FINAL_SCRIPTWITNESS. */
const WITNESS_UTXO = '01'
const FINAL_WITNESS = '08'

function toPsbt(text: string): Psbt {
  try {
    return readPsbt(Buffer.from(text, 'base64'))
  } catch (error) {
    if (error instanceof PsbtError) throw new RpcError(RPC.DESERIALIZATION, `TX decode failed ${error.message}`)
    throw error
  }
}

function toBase64(psbt: Psbt): string {
  return Buffer.from(writePsbt(psbt)).toString('base64')
}

/** Adds the spent output to each input, as an updater does. */
function addSpent(node: Node, { transaction, inputs }: Psbt): void {
  for (const [index, { txid, vout }] of transaction.inputs.entries()) {
    const spent = node.output(outpoint(txid, vout))
    if (!spent) continue
    const value = new Uint8Array(8)
    new DataView(value.buffer).setBigUint64(0, spent.value, true)
    inputs[index]?.set(WITNESS_UTXO, concatBytes([value, compactSize(spent.script.length), spent.script]))
  }
}

/** Signs and finalizes the inputs that the wallet has keys for. */
function signInputs(node: Node, wallet: Wallet, { transaction, inputs }: Psbt): void {
  const copy: Transaction = { ...transaction, inputs: transaction.inputs.map((input) => ({ ...input })) }
  for (const [index, { txid, vout }] of transaction.inputs.entries()) {
    const spent = node.output(outpoint(txid, vout))
    if (!spent || inputs[index]?.has(FINAL_WITNESS) || !wallet.sign(copy, index, spent)) continue
    const items = copy.inputs[index]?.witness ?? []
    const witness = [compactSize(items.length), ...items.flatMap((item) => [compactSize(item.length), item])]
    inputs[index]?.set(FINAL_WITNESS, concatBytes(witness))
  }
}

function isComplete({ inputs }: Psbt): boolean {
  return inputs.every((fields) => fields.has(FINAL_WITNESS))
}

function readItems(bytes: Uint8Array): Uint8Array[] {
  const items: Uint8Array[] = []
  // Everything that this node signs is shorter than 253 bytes.
  for (let at = 1; at < bytes.length; at += 1 + (bytes[at] ?? 0)) {
    items.push(bytes.subarray(at + 1, at + 1 + (bytes[at] ?? 0)))
  }
  return items
}

/** Base units for 1,000 vbytes: `fee_rate` is in base units a vbyte, `feeRate` in coins for 1,000. */
function readRate(options: Record<string, unknown>): bigint | undefined {
  if (options.feeRate !== undefined) return toAmount(options.feeRate)
  return options.fee_rate === undefined ? undefined : toAmount(options.fee_rate) / 100_000n
}

const walletcreatefundedpsbt: Method['run'] = ({ node, wallet }, params: Params): Json => {
  const own = wallet()
  const options = params.object(3)
  const given = params.list(0).map((item) => {
    const { txid, vout } = toObject(item)
    const name = outpoint(toHash(txid, 'txid'), toInteger(vout))
    const coin = own.coins.get(name)
    if (!coin || !node.coin(name, { waiting: true })) {
      throw new RpcError(RPC.WALLET, 'Unable to find UTXO for external input')
    }
    return coin
  })
  const outputs = toOutputs(toArray(params.values[1]), node.settings)
  const change = options.changeAddress === undefined ? undefined : toScript(node, toText(options.changeAddress))
  try {
    const { transaction, fee, taken } = fundFromWallet(node, own, outputs, {
      given,
      more: options.add_inputs === undefined ? given.length === 0 : toBoolean(options.add_inputs),
      feeRate: readRate(options),
      change,
      replaceable: options.replaceable === undefined || toBoolean(options.replaceable),
    })
    const { inputs } = transaction
    const psbt = {
      transaction,
      global: new Map(),
      inputs: inputs.map(emptyMap),
      outputs: transaction.outputs.map(emptyMap),
    }
    addSpent(node, psbt)
    if (options.lockUnspents !== undefined && toBoolean(options.lockUnspents)) {
      node.lockCoins(
        own,
        taken.map(({ txid, vout }) => outpoint(txid, vout)),
        false,
      )
    }
    return { psbt: toBase64(psbt), fee, changepos: transaction.outputs.length > outputs.length ? outputs.length : -1 }
  } catch (error) {
    if (error instanceof InsufficientFunds) throw new RpcError(RPC.WALLET, error.message)
    throw error
  }
}

function emptyMap(): PsbtMap {
  return new Map()
}

const walletprocesspsbt: Method['run'] = ({ node, wallet, signer }, params) => {
  const psbt = toPsbt(params.text(0))
  addSpent(node, psbt)
  if (params.boolean(1, true)) signInputs(node, signer(wallet()), psbt)
  return { psbt: toBase64(psbt), complete: isComplete(psbt) }
}

const combinepsbt: Method['run'] = (_, params) => {
  const [first, ...others] = params.list(0).map((text) => toPsbt(toText(text)))
  if (!first) throw new RpcError(RPC.INVALID_PARAMETER, "Parameter 'txs' cannot be empty")
  const bytes = toHex(encodeTransaction(first.transaction))
  for (const { transaction, global, inputs, outputs } of others) {
    if (toHex(encodeTransaction(transaction)) !== bytes) {
      throw new RpcError(RPC.INVALID_PARAMETER, 'PSBTs not compatible (different transactions)')
    }
    for (const [key, value] of global) first.global.set(key, value)
    for (const [index, fields] of inputs.entries())
      for (const [key, value] of fields) first.inputs[index]?.set(key, value)
    for (const [index, fields] of outputs.entries())
      for (const [key, value] of fields) first.outputs[index]?.set(key, value)
  }
  return toBase64(first)
}

const finalizepsbt: Method['run'] = (_, params) => {
  const psbt = toPsbt(params.text(0))
  if (!isComplete(psbt)) return { psbt: toBase64(psbt), complete: false }
  const inputs = psbt.transaction.inputs.map((input, index) => {
    return { ...input, witness: readItems(psbt.inputs[index]?.get(FINAL_WITNESS) ?? new Uint8Array(0)) }
  })
  return { hex: toHex(encodeTransaction({ ...psbt.transaction, inputs })), complete: true }
}

/** RPC methods for transactions that are signed elsewhere (BIP 174); P2WPKH only. */
export const psbtMethods: Methods = {
  walletcreatefundedpsbt: method('inputs outputs locktime? options? bip32derivs? version?', walletcreatefundedpsbt),
  walletprocesspsbt: method('psbt sign? sighashtype? bip32derivs? finalize?', walletprocesspsbt),
  combinepsbt: method('txs', combinepsbt),
  finalizepsbt: method('psbt extract?', finalizepsbt),
}
