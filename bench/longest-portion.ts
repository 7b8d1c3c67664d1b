import type { Inspector } from './inspector.ts'

/** What `Profiler.stop` answers: which function ran at each sample, and the microseconds since the sample before it. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** The longest time that an isolate worked without giving its thread away, and the functions it spent most of it in. */
export interface Portion {
  ms: number
  within: string
}

/** One sample in so many microseconds. */
const INTERVAL_US = 50
/**
 * No sample for so long (µs): the isolate was left, and the event loop had its turn. A sample is only taken while a
 * thread is in the isolate; the shortest returns by a timer were some 300 µs, and samples within a portion 60 apart.
 */
const LEFT_US = 200
const NAMED = 3

/**
 * The longest portion of work in a Worker's own isolate while `work` goes on, garbage collection included: what the
 * simulators of R2 and D1 do on the same thread is in isolates of their own.
 */
export async function longestPortionDuring(inspector: Inspector, work: () => Promise<unknown>): Promise<Portion> {
  await inspector.ask('Profiler.enable')
  await inspector.ask('Profiler.setSamplingInterval', { interval: INTERVAL_US })
  await inspector.ask('Profiler.start')
  await work()
  const { profile }: { profile?: CpuProfile } = Object(await inspector.ask('Profiler.stop'))
  if (!profile) throw new Error('the inspector gave no profile')
  return longestPortion(profile)
}

/** How a profile names what the runtime does while no function of the Worker is on the stack, its own I/O for one. */
const NO_FUNCTION = '(program)'

/** The longest run of samples without a gap; a time in which none of the Worker's functions has begun is a gap as well. */
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

/** The functions at the top of the stack of most samples, with their shares. */
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
