import { concatBytes } from '../bytes.ts'
import type { Transaction } from '../transaction.ts'
import { arc4 } from './arc4.ts'
import { ScriptReader } from './script-reader.ts'

const OP_1 = 0x51
const OP_3 = 0x53
const OP_CHECKMULTISIG = 0xae
const PREFIX = new TextEncoder().encode('stamp:')
const COUNTERPARTY = new TextEncoder().encode('CNTRPRTY')

/** What the outputs of a transaction hold as a stamp. */
export interface Stamp {
  /** `olga`: in P2WSH programs; `multisig`: in the keys of 1-of-3 multisig outputs. */
  encoding: 'olga' | 'multisig'
  data: Uint8Array<ArrayBuffer>
  /** Whether `stamp:` was before it. Without that its first bytes have to say what it is. */
  isMarked: boolean
}

/**
 * The stamp of a transaction: the 32-byte programs of P2WSH outputs from output 1 on, or bytes 1 to 31 of the first two
 * keys of 1-of-3 multisig outputs, decrypted by ARC4 with the txid of input 0. Then two bytes of length, big-endian, and the
 * data (btc_stamps' `src20.py`); or what Counterparty describes as `stamp:<base64>`.
 */
export function readStamp(transaction: Pick<Transaction, 'inputs' | 'outputs'>): Stamp | undefined {
  return readOlga(transaction) ?? readMultisig(transaction)
}

function readOlga({ outputs }: Pick<Transaction, 'outputs'>): Stamp | undefined {
  const programs = outputs
    .slice(1)
    .map(({ script }) => script)
    .filter((script) => script.length === 34 && script[0] === 0 && script[1] === 32)
  const held = readLength(concatBytes(programs.map((script) => script.subarray(2))))
  if (!held || held.length === 0) return undefined
  return startsWith(held, PREFIX)
    ? { encoding: 'olga', data: decodeBase64(held.slice(PREFIX.length)), isMarked: true }
    : { encoding: 'olga', data: held, isMarked: false }
}

function readMultisig({ inputs, outputs }: Pick<Transaction, 'inputs' | 'outputs'>): Stamp | undefined {
  // A txid is hex here: its reader and writer are not needed for it.
  const key = Uint8Array.from(inputs[0]?.txid.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const chunks = outputs.flatMap(({ script }) => readKeys(script) ?? [])
  if (key.length === 0 || chunks.length === 0) return undefined
  const held = readLength(arc4(key, concatBytes(chunks)))
  if (held && startsWith(held, PREFIX)) {
    return { encoding: 'multisig', data: decodeBase64(held.slice(PREFIX.length)), isMarked: true }
  }
  const described = describedByCounterparty(chunks.map((chunk) => arc4(key, chunk)))
  return described && { encoding: 'multisig', data: described, isMarked: true }
}

/** What begins with its length, of two bytes; `undefined` where it is shorter than that. */
function readLength(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  if (bytes.length < 2) return undefined
  const length = ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)
  return 2 + length <= bytes.length ? bytes.slice(2, 2 + length) : undefined
}

/** The bytes between first and last of two keys of `OP_1 <key> <key> <key> OP_3 OP_CHECKMULTISIG`. */
function readKeys(script: Uint8Array): Uint8Array | undefined {
  if (script[0] !== OP_1 || script.at(-1) !== OP_CHECKMULTISIG || script.at(-2) !== OP_3) return undefined
  const reader = new ScriptReader(script.subarray(1, -2))
  const keys: Uint8Array[] = []
  while (reader.next() === 'read' && reader.pushesBytes && keys.length < 3)
    keys.push(reader.pushed ?? new Uint8Array(0))
  const [first, second] = keys
  if (!first || !second || keys.length !== 3 || first.length !== 33 || second.length !== 33) return undefined
  return concatBytes([first.subarray(1, 32), second.subarray(1, 32)])
}

/** Each output's chunk says how long its message is, and begins with Counterparty's name; `stamp:` and base64 end the whole. */
function describedByCounterparty(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> | undefined {
  const messages: Uint8Array[] = []
  for (const chunk of chunks) {
    const message = chunk.subarray(1, 1 + (chunk[0] ?? 0))
    if (!startsWith(message, COUNTERPARTY)) return undefined
    messages.push(message.subarray(COUNTERPARTY.length))
  }
  const message = concatBytes(messages)
  // Its fields before the description are of no fixed length.
  const text = new TextDecoder('latin1').decode(message)
  const found = /stamp:([A-Za-z0-9+/]+={0,2})/i.exec(text)?.[1]
  return found === undefined ? undefined : decodeBase64(Uint8Array.from(new TextEncoder().encode(found)))
}

/** The bytes of base64, or the bytes themselves where they are no base64, as of JSON. */
function decodeBase64(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(bytes).trim()
  if (text.length % 4 === 1 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return bytes
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, index) => bytes[index] === byte)
}
