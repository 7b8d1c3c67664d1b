import type { Inspector } from './inspector.ts'

/** The result of `Profiler.stop`: the function at each sample, and the microseconds since the previous one. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/**
 * The longest time that an isolate worked without yielding its thread, and the functions with the largest part of it.
 */
export interface Portion {
  ms: number
  within: string
}

/** One sample in so many microseconds. */
const INTERVAL_US = 50
/**
 * A gap of this many µs between samples means that the isolate was left for the event loop. Samples are taken only
 * while a thread is in the isolate; the shortest returns by a timer lasted some 300 µs, and samples within a portion are
 * 60 apart.
 */
const LEFT_US = 200
const NAMED = 3

/**
 * The longest portion of work in a Worker's own isolate while `work` runs, garbage collection included. The simulators
 * of R2 and D1 on the same thread have isolates of their own.
 */
export async function longestPortionDuring(inspector: Inspector, work: () => Promise<unknown>): Promise<Portion> {
  await inspector.ask('Profiler.enable')
  await inspector.ask('Profiler.setSamplingInterval', { interval: INTERVAL_US })
  await inspector.ask('Profiler.start')
  await work()
  const { profile }: { profile?: CpuProfile } = Object(await inspector.ask('Profiler.stop'))
  if (!profile) throw new Error('the inspector returned no profile')
  return longestPortion(profile)
}

/** The profiler's names for time without a function of the Worker on the stack, such as the runtime's own I/O. */
const NO_FUNCTION = '(program)'

/** The longest run of samples without a gap; time in which no function of the Worker has begun counts as a gap too. */
export function longestPortion({ nodes, samples, timeDeltas }: CpuProfile): Portion {
  const outside = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === NO_FUNCTION).map(({ id }) => id))
  let outsideUs = 0
  let longest: number[] = []
  let longestUs = 0
  let run: number[] = []
  let runUs = 0
  for (const [index, sample] of samples.entries()) {
    const passed = timeDeltas[index] ?? 0
    outsideUs = outside.has(sample) ? outsideUs + passed : 0
    if (index === 0 || passed > LEFT_US || outsideUs > LEFT_US) {
      run = []
      runUs = 0
    } else runUs += passed
    run.push(sample)
    if (runUs > longestUs) {
      longestUs = runUs
      longest = run
    }
  }
  return { ms: longestUs / 1000, within: mostlyWithin(nodes, longest) }
}

/** The functions at the top of the stack in most samples, with their shares. */
function mostlyWithin(nodes: CpuProfile['nodes'], samples: readonly number[]): string {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName || '(anonymous)']))
  const counts = new Map<string, number>()
  for (const sample of samples) {
    const name = names.get(sample) ?? '?'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, NAMED)
    .map(([name, count]) => `${name} ${Math.round((100 * count) / samples.length)} %`)
    .join(', ')
}
