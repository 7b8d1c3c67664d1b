import { encodeTransaction, type Transaction, transactionId } from '../../protocol/transaction.ts'
import { commitTo, type EnvelopeFields, input, writeDoginal, writeEnvelope } from './write-inscription.ts'
import { writeMultisig, writeOlga } from './write-stamp-outputs.ts'

/** What is spent: `script` of the output, which what is left over is paid to again. */
export interface Coin {
  txid: string
  vout: number
  /** In base units. */
  amount: bigint
  script: Uint8Array
}

/** Transactions in order, the last of them or the first of which a name has. */
export interface Written {
  transactions: Transaction[]
  name: string
  /** What is left of the coin. */
  change: Coin
}

/** In base units: each transaction leaves as much to the next one. */
const CARRIED = 100_000n

/** An inscription: the transaction that commits to its script, and the one that reveals it. No input is signed. */
export function writeInscription(coin: Coin, fields: EnvelopeFields): Written {
  const script = writeEnvelope(fields)
  const { output, controlBlock } = commitTo(script)
  const commit = transactionFrom([input(placeOf(coin))], [CARRIED, output], [coin.amount - CARRIED, coin.script])
  const spent = { txid: idOf(commit), vout: 0 }
  const reveal = transactionFrom([input(spent, { witness: [script, controlBlock] })], [CARRIED, coin.script])
  const change = { ...coin, txid: spent.txid, vout: 1, amount: coin.amount - CARRIED }
  return { transactions: [commit, reveal], name: `${idOf(reveal)}i0`, change }
}

/** A doginal of as many transactions as its parts need, each of which spends an output of the last one. */
export function writeDoginalFrom(
  coin: Coin,
  {
    type,
    body,
    partBytes = 240,
    partsEach = 5,
  }: { type: string; body: Uint8Array; partBytes?: number; partsEach?: number },
): Written {
  const transactions: Transaction[] = []
  let spent = placeOf(coin)
  for (const script of writeDoginal(type, body, { partBytes, partsEach })) {
    const transaction = transactionFrom([input(spent, { script })], [coin.amount, coin.script])
    transactions.push(transaction)
    spent = { txid: idOf(transaction), vout: 0 }
  }
  return { transactions, name: `${transactions.map(idOf).join('+')}i0`, change: { ...coin, ...spent } }
}

/** A stamp in P2WSH outputs. */
export function writeStamp(coin: Coin, data: Uint8Array): Written {
  return writeStampOutputs(coin, writeOlga(data))
}

/** A stamp in the keys of multisig outputs, as base64 behind `stamp:`. */
export function writeMultisigStamp(coin: Coin, data: Uint8Array): Written {
  return writeStampOutputs(coin, writeMultisig(`stamp:${btoa(String.fromCharCode(...data))}`, coin.txid))
}

function writeStampOutputs(coin: Coin, scripts: readonly Uint8Array[]): Written {
  const outputs = scripts.map((script): [bigint, Uint8Array] => [CARRIED / 100n, script])
  const amount = coin.amount / 2n
  const transaction = transactionFrom([input(placeOf(coin))], [amount, coin.script], ...outputs)
  const txid = idOf(transaction)
  return { transactions: [transaction], name: `stamp:${txid}`, change: { ...coin, txid, vout: 0, amount } }
}

function transactionFrom(
  inputs: Transaction['inputs'],
  ...outputs: [value: bigint, script: Uint8Array][]
): Transaction {
  return { version: 2, inputs, outputs: outputs.map(([value, script]) => ({ value, script })), lockTime: 0 }
}

function placeOf({ txid, vout }: Coin): { txid: string; vout: number } {
  return { txid, vout }
}

function idOf(transaction: Transaction): string {
  return transactionId(encodeTransaction(transaction, { witness: false }))
}
