import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

const FOLDER = join(import.meta.dirname, 'corpus')

export interface CorpusInput {
  /** Its file's name, without `.br`. */
  name: string
  bytes: Uint8Array
}

/** The committed inputs of a target; each file is Brotli, since bombs are large and say little. */
export function readCorpus(target: string): CorpusInput[] {
  const folder = join(FOLDER, target)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((file) => ({
      name: file.replace(/\.br$/, ''),
      bytes: Uint8Array.from(brotliDecompressSync(readFileSync(join(folder, file)))),
    }))
}

/** Adds an input, under its hash where it has no name; gives its path. */
export function addToCorpus(target: string, bytes: Uint8Array, name = hashOf(bytes)): string {
  const folder = join(FOLDER, target)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.br`)
  writeFileSync(path, brotliCompressSync(bytes))
  return path
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}
