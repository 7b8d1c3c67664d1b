import { readFileSync } from 'node:fs'
import { fromHex } from '../../../protocol/bytes.ts'
import type { HeaderRules, Work } from '../../../reader/proof/check-headers.ts'
import type { Checkpoint } from '../../../reader/proof/checkpoint.ts'
import { sha256d } from '../../../reader/proof/fold-branch.ts'

/** A block of an answer, as JSON. */
export interface BlockJson {
  height: number
  hash: string
  header: string
  transactions: { txid: string; position: number; branch: string[] }[]
  checkpoint?: { height: number; branch: string[] }
  following?: string[]
}

/** Blocks with their transactions in hex, without witness, by txid. */
export interface RealBlocks {
  checkpoint?: Checkpoint
  blocks: BlockJson[]
  raw: Record<string, string>
}

/** Work by double SHA-256. */
export const SHA256D: Work = { hash: sha256d }

export function readBlocks(name: string): RealBlocks {
  return JSON.parse(readFileSync(`${import.meta.dirname}/blocks/${name}.json`, 'utf8'))
}

/** The transactions of blocks, or of those named. */
export function transactionsOf(raw: Record<string, string>, txids = Object.keys(raw)): Map<string, Uint8Array> {
  return new Map(txids.map((txid) => [txid, bytesOf(raw[txid] ?? '')]))
}

export function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex)
  if (!bytes) throw new Error('no hex')
  return bytes
}

/** Rules with a checkpoint of a block's own target and time, and the clock at that time. */
export function rulesOf({ header, height }: BlockJson, work: Work): HeaderRules {
  const view = new DataView(bytesOf(header.slice(0, 160)).buffer)
  const time = view.getUint32(68, true)
  const checkpoint = { height: height - 1, root: '00'.repeat(32), bits: view.getUint32(72, true), time }
  return { work, checkpoint, now: time }
}
