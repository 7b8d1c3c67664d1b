import { formatAmount } from '../../../protocol/amount.ts'
import { fromHex, toHex } from '../../../protocol/bytes.ts'
import { decodeTransaction, encodeTransaction, TransactionError, unsignedId } from '../../../protocol/transaction.ts'
import { feeFor, transactionVsize } from '../../../protocol/transaction-size.ts'
import type { SpentOutput } from '../../chain/rpc/transaction-methods.ts'
import { isRecord } from '../../platform/http/is-record.ts'
import type { Coin } from '../wallet/sql/tx-chains.ts'
import type { PreparedPayout } from './check-psbt.ts'

/** A transaction to be signed where nodes know no PSBTs, with what `signrawtransaction` needs beside it. */
export interface RawPayout {
  hex: string
  /** The outputs that it spends. */
  spent: readonly SpentOutput[]
  /** Hash of a block before it was handed out. */
  since: string
}

/** What a raw payout is planned with; base units, the rate for 1,000 vbytes, scripts in hex. */
export interface RawTerms {
  spends: readonly Coin[]
  script: string
  amount: bigint
  /** Script of the change. */
  change: string
  feeRate: bigint
  /** A smaller change is left to the fee. */
  dust: bigint
  since: string
}

/** The unsigned transaction that pays an amount to a script from these coins; `undefined` where they do not suffice. Pure. */
export function planRawPayout(terms: RawTerms): PreparedPayout | undefined {
  const { spends, script, amount, change, feeRate, dust, since } = terms
  const scripts = spends.map((coin) => coin.script)
  const rest = spends.reduce((sum, { value }) => sum + value, 0n) - amount
  const lengths = [script.length / 2, change.length / 2]
  const bothVsize = transactionVsize(scripts, lengths)
  const left = rest - feeFor(bothVsize, feeRate)
  const changeValue = left >= dust ? left : 0n
  const vsize = changeValue > 0n ? bothVsize : transactionVsize(scripts, lengths.slice(0, 1))
  const fee = rest - changeValue
  if (fee < feeFor(vsize, feeRate)) return undefined
  const paid = { value: amount, script: toBytes(script) }
  const transaction = {
    version: 1,
    // It may be replaced (BIP 125): its coin is spent otherwise where the withdrawal is to end.
    inputs: spends.map(({ txid, vout }) => ({
      txid,
      vout,
      script: new Uint8Array(0),
      sequence: 0xffff_fffd,
      witness: [],
    })),
    outputs: changeValue > 0n ? [paid, { value: changeValue, script: toBytes(change) }] : [paid],
    lockTime: 0,
  }
  return {
    psbt: writeRawPayout({ hex: toHex(encodeTransaction(transaction)), spent: spends, since }),
    ...{ txid: unsignedId(transaction), fee, vsize, changeValue },
    ...(changeValue > 0n ? { changeVout: 1, changeScript: change } : { changeVout: 0, changeScript: '' }),
  }
}

function toBytes(hex: string): Uint8Array {
  const bytes = fromHex(hex)
  if (!bytes) throw new Error(`not a script: ${hex}`)
  return bytes
}

/** The text that is stored in the place of a PSBT. */
function writeRawPayout({ hex, spent, since }: RawPayout): string {
  const outputs = spent.map(({ txid, vout, script, value }) => ({ txid, vout, script, value: value.toString() }))
  return JSON.stringify({ hex, spent: outputs, since })
}

/** What is stored in the place of a PSBT. @throws where it is something else. */
export function readRawPayout(text: string): RawPayout {
  const stored: unknown = JSON.parse(text)
  const { hex, spent, since } = isRecord(stored) ? stored : {}
  if (typeof hex !== 'string' || typeof since !== 'string' || !Array.isArray(spent))
    throw new Error('This is no raw transaction with what it spends.')
  return { hex, since, spent: spent.map(readSpent) }
}

function readSpent(output: unknown): SpentOutput {
  const { txid, vout, script, value } = isRecord(output) ? output : {}
  if (typeof txid !== 'string' || typeof vout !== 'number' || typeof script !== 'string' || typeof value !== 'string')
    throw new Error('This is no output that a raw transaction spends.')
  return { txid, vout, script, value: BigInt(value) }
}

/** The outputs that a transaction spends, as `prevtxs` of `signrawtransaction` (Dogecoin Core 1.14) has them. Pure. */
export function toPrevtxs(spent: readonly SpentOutput[]) {
  // As text: AmountFromValue accepts it, and no reader rounds it.
  return spent.map(({ txid, vout, script, value }) => ({
    txid,
    vout,
    scriptPubKey: script,
    amount: formatAmount(value),
  }))
}

/**
 * What is wrong with a transaction, hex, that was returned signed: `foreign` where it is another than was handed out, `unsigned` where an
 * input lacks its signature, `partial` where a signature is no lone SIGHASH_ALL: others do not cover all outputs, so that a miner could pay
 * somebody else. Whether signatures are valid is not looked at. Pure.
 */
export function findRawProblem(hex: string, { hex: given }: RawPayout): 'foreign' | 'unsigned' | 'partial' | undefined {
  const back = readHex(hex)
  const handed = readHex(given)
  if (!back || !handed || unsignedId(back) !== unsignedId(handed)) return 'foreign'
  const scripts = back.inputs.map(({ script }) => script)
  if (scripts.some((script) => script.length === 0)) return 'unsigned'
  return back.inputs.every(({ witness }) => witness.length === 0) && scripts.every(signsAll) ? undefined : 'partial'
}

function readHex(hex: string) {
  try {
    const bytes = fromHex(hex)
    return bytes && decodeTransaction(bytes)
  } catch (error) {
    if (error instanceof TransactionError) return undefined
    throw error
  }
}

const SIGHASH_ALL = 1

/** Whether a scriptSig is that of P2PKH with a signature of SIGHASH_ALL: one push of it, and one of a public key. */
function signsAll(script: Uint8Array): boolean {
  const signature = script[0] ?? 0
  const key = script[signature + 1] ?? 0
  const isPair = signature <= 73 && (key === 33 || key === 65) && script.length === signature + key + 2
  return isPair && script[signature] === SIGHASH_ALL
}
