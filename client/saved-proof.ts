import { type Blockchain, isBlockchain } from '../protocol/chains.ts'
import { MAX_INDEX_PARTS } from '../protocol/content-index.ts'
import { ReaderError } from '../reader/reader-error.ts'

/** A content's transactions and their proof (docs/formats.md, "A saved proof"): a file `.hookline` is this as JSON. */
export interface SavedProof {
  format: 'hookline proof'
  version: 1
  blockchain: Blockchain
  /** Of the content, in their order, each once. */
  txids: string[]
  /** By txid, in hex without witness; of an index its parts too. */
  transactions: Record<string, string>
  /** Answers of `GET /v0/proof/…`. */
  proofs: object[]
}

/** A saved proof, its form checked and not what it proves. @throws {ReaderError} `not_proven` */
export function parseSavedProof(value: object | null): SavedProof {
  const fields: Record<string, unknown> = Object.fromEntries(Object.entries(value ?? {}))
  const { format, version, blockchain, txids, transactions, proofs } = fields
  const isRead = format === 'hookline proof' && version === 1 && isBlockchain(blockchain) && Array.isArray(proofs)
  if (!isRead || !Array.isArray(txids) || proofs.length > MAX_INDEX_PARTS || typeof transactions !== 'object') {
    throw new ReaderError('not_proven', 'This is no saved proof of version 1.')
  }
  const answers = proofs.filter((proof): proof is object => typeof proof === 'object' && proof !== null)
  const texts = txids.filter((txid): txid is string => typeof txid === 'string' && /^[0-9a-f]{64}$/.test(txid))
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'
  const entries: [string, unknown][] = Object.entries(transactions ?? {})
  const raw = entries.filter(isText)
  if (texts.length < txids.length || raw.length < entries.length || answers.length < proofs.length) {
    throw new ReaderError('not_proven', 'The saved proof has no txids or transactions in hex, or no proofs.')
  }
  return { format, version, blockchain, txids: texts, transactions: Object.fromEntries(raw), proofs: answers }
}
