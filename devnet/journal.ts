import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AddressType } from './wallet.ts'

/** A change of a node; the journal is in their order. `time` in Unix seconds. */
export type JournalEvent =
  | { type: 'transaction'; time: number; hex: string }
  | { type: 'package'; time: number; hexes: string[] }
  | {
      type: 'block'
      time: number
      script: string
      value: string
      txids: string[]
      hexes?: string[]
      merged?: boolean
    }
  | { type: 'invalidate' | 'reconsider'; time: number; hash: string }
  | { type: 'evict'; time: number; txids: string[] }
  | { type: 'key'; time: number; wallet: string; label: string; change: boolean; addressType: AddressType | null }
  | { type: 'encrypt'; time: number; wallet: string; passphrase: string }
  | { type: 'wallet'; time: number; name: string; loadOnStart?: boolean }
  | { type: 'replace'; time: number; wallet: string }
  | { type: 'lock'; time: number; wallet: string; names: string[]; locked: boolean }

/** Where a node records its changes, and reads them when it starts. */
export interface Journal {
  events(): Iterable<JournalEvent>
  append(event: JournalEvent): void
  close(): void
}

/** The complete lines of an append-only file; a last line that a crash cut off is removed from the file. */
export class AppendFile {
  readonly #file: number
  readonly lines: string[]

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true })
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
    const end = bytes.lastIndexOf(10) + 1
    this.lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1)
    this.#file = openSync(path, 'a')
    if (end < bytes.length) ftruncateSync(this.#file, end)
  }

  /** Written when this returns, so that it survives any end of the process. */
  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`)
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(this.#file, bytes, offset)
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** A node's journal in a file, one JSON text a line. */
export function openJournal(path: string): Journal {
  const file = new AppendFile(path)
  return {
    *events() {
      for (const line of file.lines.splice(0)) yield parseEvent(line)
    },
    append: (event) => file.append(JSON.stringify(event)),
    close: () => file.close(),
  }
}

/** The file is our own and written in whole lines, so its records have the shape that `append` received. */
function parseEvent(line: string): JournalEvent {
  return JSON.parse(line)
}
