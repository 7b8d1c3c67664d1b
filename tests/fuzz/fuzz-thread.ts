import './platform.ts'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { readCorpus } from '../kit/read-corpus.ts'
import { MAX_BYTES, seededRandom } from './mutate.ts'
import { search } from './search.ts'
import { TARGETS } from './targets.ts'

/**
 * What a thread is given. In `input` stands what it runs, for when it never returns: how many inputs there were, the length
 * of this one, and its bytes.
 */
export interface FuzzOrder {
  target: string
  seconds: number
  seed: number
  input: SharedArrayBuffer
}

export interface FuzzReport {
  runs: number
  covered: number
  found: Uint8Array[]
  fault: { input: Uint8Array; problem: string } | undefined
}

const ROOT = join(import.meta.dirname, '../..')
const order: FuzzOrder = workerData
const target = TARGETS.find(({ name }) => name === order.target)
if (!target) throw new Error(`There is no target ${order.target}.`)
const head = new Int32Array(order.input, 0, 2)
const held = new Uint8Array(order.input, 8)
/** The time begins when the committed inputs have been run: bombs among them take some. */
let until: number | undefined

const { runs, covered, found, fault } = await search(
  target,
  readCorpus(target.name).map(({ bytes }) => bytes),
  {
    folders: ['protocol', 'reader', 'worker'].map((name) => pathToFileURL(join(ROOT, name, '/')).href),
    random: seededRandom(order.seed),
    goesOn() {
      until ??= Date.now() + order.seconds * 1000
      return Date.now() < until
    },
    onInput(input) {
      const kept = input.subarray(0, MAX_BYTES)
      held.set(kept)
      Atomics.store(head, 1, kept.length)
      Atomics.add(head, 0, 1)
    },
  },
)
const problem = fault?.error instanceof Error ? (fault.error.stack ?? fault.error.message) : String(fault?.error)
const report: FuzzReport = { runs, covered, found, fault: fault && { input: fault.input, problem } }
parentPort?.postMessage(report)
