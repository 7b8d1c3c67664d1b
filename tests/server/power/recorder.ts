import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DiskModel, type FirstNode, type LastNode } from './disk-model.ts'
import { readLog } from './read-log.ts'

/** What logs all that is done to the files of a folder, and ends the process at a chosen sync. */
export class Recorder {
  /** For `env`, before the command that is to be recorded. */
  readonly env: readonly string[]
  readonly #folder: string
  readonly #log: string
  readonly #control: string
  #first: FirstNode[] = []

  /** `folder` exists; `own` is another one, for what the recorder writes. gcc compiles it. */
  constructor(folder: string, own: string) {
    const library = join(own, 'recorder.so')
    execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-o', library, join(import.meta.dirname, 'record-files.c'), '-ldl'])
    this.#folder = realpathSync(folder)
    this.#log = join(own, 'recorder.log')
    this.#control = join(own, 'recorder.control')
    this.env = [
      `LD_PRELOAD=${library}`,
      `RECORD_FOLDER=${this.#folder}`,
      `RECORD_LOG=${this.#log}`,
      `RECORD_CONTROL=${this.#control}`,
    ]
    this.begin(0)
  }

  /** While nothing runs: takes the folder as it is for what is on the disk. `last`: the sync that ends a process; 0: none. */
  begin(last: number): void {
    this.#first = readFolder(this.#folder)
    writeFileSync(this.#log, '')
    const numbers = Buffer.alloc(16)
    numbers.writeBigUInt64LE(BigInt(last))
    writeFileSync(this.#control, numbers)
  }

  /** Syncs since the beginning. */
  get syncs(): number {
    return Number(readFileSync(this.#control).readBigUInt64LE(8))
  }

  /**
   * While nothing runs: leaves in the folder what is on its disk. Returns the number of events since the beginning.
   * @throws {Error} where the folder is not what the events make of it: something was not logged
   */
  loseUnsynced(): number {
    const model = new DiskModel(this.#first)
    let events = 0
    for (const event of readLog(readFileSync(this.#log))) {
      model.apply(event)
      events++
    }
    const other = difference(model.asSeen(), readFolder(this.#folder).slice(1))
    if (other !== undefined) throw new Error(`not all that was done to ${other} was logged`)
    writeFolder(this.#folder, model.afterCut())
    return events
  }
}

/** What is in a folder, itself first, without what is not logged. */
function readFolder(root: string): FirstNode[] {
  const read = (path: string): FirstNode[] => {
    const place = join(root, path)
    const status = lstatSync(place, { bigint: true })
    if (!status.isDirectory()) return [{ path, inode: status.ino, bytes: readFileSync(place) }]
    const names = readdirSync(place).filter((name) => !name.endsWith('-shm'))
    return [{ path, inode: status.ino }, ...names.flatMap((name) => read(join(path, name)))]
  }
  return read('')
}

function writeFolder(root: string, nodes: readonly LastNode[]): void {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
  for (const { path, bytes } of nodes) {
    if (bytes) writeFileSync(join(root, path), bytes, { mode: 0o600 })
    else mkdirSync(join(root, path), { mode: 0o700 })
  }
}

/** The path of a file or folder that is not the same in both. */
function difference(some: readonly LastNode[], others: readonly LastNode[]): string | undefined {
  const rest = new Map(others.map(({ path, bytes }) => [path, bytes]))
  for (const { path, bytes } of some) {
    const other = rest.get(path)
    const isSame = rest.has(path) && (bytes && other ? Buffer.compare(bytes, other) === 0 : bytes === other)
    if (!isSame) return path
    rest.delete(path)
  }
  return [...rest.keys()][0]
}
