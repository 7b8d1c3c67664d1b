import { Coverage } from './coverage.ts'
import { MAX_BYTES, mutate, type Random } from './mutate.ts'
import { type FuzzTarget, runTarget } from './target.ts'

/**
 * CPU time (ms) that one input may take: what a request may, and room for a slow machine. V8's coverage makes the dearest bomb
 * three times as slow, 2.0 to 2.3 s in place of 0.7 to 1.0.
 */
const MAX_CPU_MS = 4000
/** How long (ms) inputs are run before the coverage is read from V8, and how many at most: reading lasts some 20 ms. */
const BATCH_MS = 100
const BATCH = 4096

export interface SearchOptions {
  /** Beginnings of `file:` URLs of the code that is looked at. */
  folders: readonly string[]
  random: Random
  /** Asked between inputs; the search ends when it says no. */
  goesOn: () => boolean
  /** Told before each input is run. */
  onInput?: (input: Uint8Array) => void
}

interface Fault {
  input: Uint8Array
  error: unknown
}

export interface SearchResult {
  runs: number
  /** Characters of source that were reached. */
  covered: number
  /** Inputs that reached something new, beside the ones given. */
  found: Uint8Array[]
  fault: Fault | undefined
}

/** Looks for inputs that break a target: changed copies of those that reached code that none before had. */
export async function search(
  target: FuzzTarget,
  given: readonly Uint8Array[],
  { folders, random, goesOn, onInput = () => {} }: SearchOptions,
): Promise<SearchResult> {
  const coverage = new Coverage(folders)
  const words = target.words.map((word) => new TextEncoder().encode(word))
  const corpus = given.length > 0 ? [...given] : [new Uint8Array(0)]
  const result: SearchResult = { runs: 0, covered: 0, found: [], fault: undefined }
  const run = async (input: Uint8Array): Promise<boolean> => {
    onInput(input)
    result.runs++
    const error = await faultOf(target, input)
    if (error !== undefined) result.fault = { input, error }
    return error === undefined
  }
  /** Those of a batch that reached something new, by running ever smaller parts of it once more. */
  const newcomersOf = async (batch: readonly Uint8Array[]): Promise<Uint8Array[]> => {
    const middle = batch.length >> 1
    const halves = batch.length === 1 ? [batch] : [batch.slice(0, middle), batch.slice(middle)]
    const newcomers: Uint8Array[] = []
    for (const half of halves) {
      for (const input of half) if (!(await run(input))) return newcomers
      const blocks = coverage.take()
      const [only] = half
      if (!coverage.hasNews(blocks) || only === undefined) continue
      if (half.length > 1) newcomers.push(...(await newcomersOf(half)))
      else if (coverage.learn(blocks)) newcomers.push(only)
    }
    return newcomers
  }
  const pick = () => {
    // Bombs are run, and not changed: what is left of one that is cut off is nothing.
    const input = corpus[random(corpus.length)]
    return input && input.length <= MAX_BYTES ? input : new Uint8Array(0)
  }
  try {
    for (const input of corpus) if (!(await run(input))) return result
    coverage.learn(coverage.take())
    while (goesOn()) {
      const batch: Uint8Array[] = []
      const begun = performance.now()
      while (batch.length < BATCH && performance.now() - begun < BATCH_MS) {
        const input = mutate(pick(), pick(), words, random)
        batch.push(input)
        if (!(await run(input))) return result
      }
      if (!coverage.hasNews(coverage.take())) continue
      for (const input of await newcomersOf(batch)) {
        corpus.push(input)
        result.found.push(input)
      }
      if (result.fault) return result
    }
    return result
  } finally {
    result.covered = coverage.size
    coverage.close()
  }
}

/** The fault of a target for an input. */
export async function faultOf(target: Pick<FuzzTarget, 'run'>, input: Uint8Array): Promise<unknown> {
  const before = process.threadCpuUsage()
  try {
    await runTarget(target, input)
  } catch (error) {
    return error
  }
  const { user, system } = process.threadCpuUsage(before)
  const spent = (user + system) / 1000
  return spent > MAX_CPU_MS ? new Error(`It takes ${Math.round(spent)} ms of CPU.`) : undefined
}
