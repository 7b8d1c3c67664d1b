import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Bench } from '../bench.ts'
import { pairedRow, type Row } from '../row.ts'

const GROUP = "A step of a chain's agent"
const HISTORY = 1_000_000
/** Pairs that are not counted, items that are written meanwhile, and the transactions of each. */
const WARM = 40
const ITEMS = 6
const TRANSACTIONS = 300
const TARGET = 1.2

interface Pair {
  busy: boolean
  value: number
  limit: number
}

/**
 * The cost of a step with a million settled requests, credited outputs and written items, and without them. The agent's
 * own code runs on the embedded chain and on SQLite, the engine of D1, with the product's migrations; the node's work
 * is not counted.
 */
export async function measureStep(bench: Bench): Promise<Row[]> {
  bench.progress(`step: ${HISTORY.toLocaleString('en-US')} settled payments, then steps with and without them`)
  const pairs = await runPairs()
  const row = (id: string, what: string, busy: boolean): Row =>
    pairedRow(
      {
        id,
        group: GROUP,
        what,
        unit: 'ms',
        limitWhat: 'the same without the history',
        better: 'lower',
        target: TARGET,
        note: `CPU, with ${HISTORY.toLocaleString('en-US')} settled requests, credited outputs and written items`,
      },
      pairs.filter((pair) => pair.busy === busy),
    )
  return [
    row('step/writing', 'a step that has something to do', true),
    row('step/waiting', 'a step after a block, with nothing to do', false),
  ]
}

async function runPairs(): Promise<Pair[]> {
  const script = new URL('../step/measure-steps.ts', import.meta.url).pathname
  const amounts = [HISTORY, WARM, ITEMS, TRANSACTIONS].map(String)
  const child = spawn(process.execPath, [script, ...amounts], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const pairs: Pair[] = []
  for await (const line of createInterface(child.stdout)) {
    const pair: Pair = JSON.parse(line)
    pairs.push(pair)
  }
  if ((await ended) !== 0) throw new Error('the steps were not measured to the end')
  return pairs
}
