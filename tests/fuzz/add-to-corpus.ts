import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { CORPUS } from '../kit/read-corpus.ts'

/** Adds an input, under its hash where it has no name; returns its path. */
export function addToCorpus(target: string, bytes: Uint8Array, name = hashOf(bytes)): string {
  const folder = join(CORPUS, target)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.br`)
  writeFileSync(path, brotliCompressSync(bytes))
  return path
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}
