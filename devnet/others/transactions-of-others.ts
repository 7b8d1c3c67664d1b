import { encodeTransaction, type Transaction, transactionId } from '../../protocol/transaction.ts'
import { commitTo, type EnvelopeFields, input, writeDoginal, writeEnvelope, writeOlga } from './write-inscription.ts'

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
  return { transactions: [commit, reveal], name: `${idOf(reveal)}i0` }
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
  return { transactions, name: `${transactions.map(idOf).join('+')}i0` }
}

/** A stamp in P2WSH outputs. */
export function writeStamp(coin: Coin, data: Uint8Array): Written {
  const outputs = writeOlga(data).map((script): [bigint, Uint8Array] => [CARRIED / 100n, script])
  const transaction = transactionFrom([input(placeOf(coin))], [coin.amount / 2n, coin.script], ...outputs)
  return { transactions: [transaction], name: `stamp:${idOf(transaction)}` }
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
