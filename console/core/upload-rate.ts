/** The total number of bytes that the service has received at the time `at` (milliseconds). */
export interface Sample {
  at: number
  received: number
}

/** Samples that are older than this are removed. */
const WINDOW_MS = 15_000
const MAX_SAMPLES = 200

export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  return [...samples, sample].filter(({ at }) => sample.at - at <= WINDOW_MS).slice(-MAX_SAMPLES)
}

/**
 * The rate in bytes per second over the stored samples, and the seconds until `total` is received. `undefined` if the
 * samples cover less than a second or no byte was received.
 */
export function uploadRate(
  samples: readonly Sample[],
  total: number,
): { rate: number; secondsLeft: number } | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.at - first.at < 1000 || last.received <= first.received) return undefined
  const rate = ((last.received - first.received) / (last.at - first.at)) * 1000
  return { rate, secondsLeft: Math.max(0, total - last.received) / rate }
}

/** The received share of `total` bytes, from 0 to 1; 1 for an empty file. */
export function shareOf(received: number, total: number): number {
  return total === 0 ? 1 : received / total
}

/** The number of completed quarters of `total`, from 0 to 4. */
export function quarterOf(received: number, total: number): number {
  return Math.floor(shareOf(received, total) * 4)
}
