import { fromHex } from '../../protocol/bytes.ts'
import { MAX_LEVELS } from './fold-branch.ts'
import { refuse } from './refuse.ts'

/** The most transactions of one proof. */
const MAX_PROVEN = 100
/** The most headers of one block: its own, and those after it. */
const MAX_DEPTH = 12
/** Levels of a tree over all blocks of a chain. */
const MAX_CHAIN_LEVELS = 32
/** Bytes of a header with its AuxPoW, whose coinbase may pay hundreds of miners. */
const MAX_HEADER_BYTES = 65_536

/** Where a transaction is in its block; hashes in the order in which they are hashed. */
interface TransactionBranch {
  txid: string
  position: number
  branch: Uint8Array[]
}

/** A block of a proof; its headers may have an AuxPoW behind them. */
export interface BlockProof {
  height: number
  hash: string
  header: Uint8Array
  transactions: TransactionBranch[]
  checkpoint: { height: number; branch: Uint8Array[] } | undefined
  following: Uint8Array[]
}

/** The blocks of an answer of `GET /v0/proof/…`, their form checked and nothing else. @throws {ReaderError} `not_proven` */
export function parseProof(value: unknown): BlockProof[] {
  const blocks = listOf(fieldsOf(value).blocks, MAX_PROVEN).map(parseBlock)
  const count = blocks.reduce((sum, { transactions }) => sum + transactions.length, 0)
  if (count > MAX_PROVEN) refuse(`${count} transactions are more than ${MAX_PROVEN}.`)
  return blocks
}

function parseBlock(value: unknown): BlockProof {
  const { height, hash, header, transactions, checkpoint, following } = fieldsOf(value)
  return {
    height: integer(height),
    hash: hashText(hash),
    header: headerBytes(header),
    transactions: listOf(transactions, MAX_PROVEN).map(parseTransaction),
    checkpoint: checkpoint === undefined ? undefined : parseCheckpointBranch(checkpoint),
    following: following === undefined ? [] : listOf(following, MAX_DEPTH - 1).map(headerBytes),
  }
}

function parseTransaction(value: unknown): TransactionBranch {
  const { txid, position, branch } = fieldsOf(value)
  return { txid: hashText(txid), position: integer(position), branch: listOf(branch, MAX_LEVELS).map(hashBytes) }
}

function parseCheckpointBranch(value: unknown): { height: number; branch: Uint8Array[] } {
  const { height, branch } = fieldsOf(value)
  return { height: integer(height), branch: listOf(branch, MAX_CHAIN_LEVELS).map(hashBytes) }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : refuse('The proof has another form.')
}

function listOf(value: unknown, most: number): unknown[] {
  return Array.isArray(value) && value.length <= most ? value : refuse(`The proof has no list of at most ${most}.`)
}

function integer(value: unknown): number {
  const isHeight = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31
  return isHeight ? value : refuse('The proof has no height or position.')
}

function hashText(value: unknown): string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
    ? value
    : refuse('The proof has no hash of 64 digits.')
}

function hashBytes(value: unknown): Uint8Array {
  return (fromHex(hashText(value)) ?? refuse('The proof has no hash.')).reverse()
}

function headerBytes(value: unknown): Uint8Array {
  const isShort = typeof value === 'string' && value.length <= 2 * MAX_HEADER_BYTES
  return (isShort ? fromHex(value) : undefined) ?? refuse('The proof has no header in hex.')
}
