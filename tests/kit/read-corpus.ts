import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/** The committed inputs of the fuzzer, a folder for each target. */
export const CORPUS = join(import.meta.dirname, '..', 'fuzz', 'corpus')

export interface CorpusInput {
  /** Its file's name, without `.br`. */
  name: string
  bytes: Uint8Array
}

/** The committed inputs of a target; each file is Brotli, since bombs are large and say little. */
export function readCorpus(target: string): CorpusInput[] {
  const folder = join(CORPUS, target)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((file) => ({
      name: file.replace(/\.br$/, ''),
      bytes: Uint8Array.from(brotliDecompressSync(readFileSync(join(folder, file)))),
    }))
}
