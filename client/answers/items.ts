import type { Blockchain } from '../../protocol/chains.ts'
import { Fields } from '../http/parse-json.ts'
import {
  type Answer,
  amount,
  answerReader,
  number,
  object,
  oneOf,
  optional,
  storageTarget,
  text,
  texts,
  withDefault,
} from './answer-shape.ts'

/** `201 Created`: being uploaded; then waiting for payment; paid and being written; stored; needing an operator. */
const STATUSES = ['201 Created', '402 Payment Required', '202 Accepted', '200 OK', '409 Conflict'] as const
export type ItemStatus = (typeof STATUSES)[number]

export const readItem = answerReader('The item', {
  id: text,
  name: text,
  mimetype: text,
  blockchain: storageTarget,
  status: oneOf('status of an item', STATUSES),
  message: optional(text),
  size: number,
  storedSize: optional(number),
  /** In order; there once every transaction is confirmed. Lists leave out more than 100. */
  txids: optional(texts),
  cid: optional(text),
  /** Data transactions that it takes, from merge on. */
  transactions: optional(number),
  written: withDefault(number, 0),
  confirmed: withDefault(number, 0),
  createdAt: number,
  folder: optional(text),
  /** What was received for it, in coins. */
  received: optional(amount),
  links: object({ content: text, web: optional(text), site: text }),
  embed: optional(text),
})
/** A stored file or website. Sizes in bytes, times in Unix seconds. */
export type Item = Answer<typeof readItem>

export const readItemTransaction = answerReader('The transaction', {
  index: number,
  bytes: number,
  state: text,
  /** Blocks that hold it and follow it. */
  depth: optional(number),
  /** Only once it is deep enough. */
  txid: optional(text),
  /** Unix seconds. */
  lastSeen: optional(number),
})
/** One data transaction of an item. */
export type ItemTransaction = Answer<typeof readItemTransaction>

export const readUpload = answerReader('The upload', { id: text, chunkSize: number, chunks: number })
/** How an item is to be uploaded: `chunks` chunks of `chunkSize` bytes, the last one shorter where the size says so. */
export type ItemUpload = Answer<typeof readUpload>

export const readFolder = answerReader('The folder', {
  id: text,
  name: withDefault(text, ''),
  blockchain: optional(storageTarget),
  parent: optional(text),
})
export type Folder = Answer<typeof readFolder>

/** Where an item's bytes are, as the service names it: what is read from there is verified against this name. */
export type ContentSource = { blockchain: Blockchain; txids: string[] } | { blockchain: 'IPFS'; cid: string }

export function readSource(value: unknown): ContentSource {
  const source = new Fields(value, 'The source')
  const blockchain = storageTarget(source, 'blockchain')
  if (blockchain === 'IPFS') return { blockchain, cid: text(source, 'cid') }
  return { blockchain, txids: texts(source, 'txids') }
}
