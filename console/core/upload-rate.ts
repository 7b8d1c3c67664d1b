/** The bytes received in all at the time `at`, in ms. */
export interface Sample {
  at: number
  held: number
}

/** Older samples are ignored. */
const WINDOW_MS = 15_000
const MAX_SAMPLES = 200

export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  return [...samples, sample].filter(({ at }) => sample.at - at <= WINDOW_MS).slice(-MAX_SAMPLES)
}

/** Bytes a second over the last seconds, and the seconds left; undefined with too few samples. */
export function uploadRate(samples: readonly Sample[], total: number): { rate: number; left: number } | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.at - first.at < 1000 || last.held <= first.held) return undefined
  const rate = ((last.held - first.held) / (last.at - first.at)) * 1000
  return { rate, left: Math.max(0, total - last.held) / rate }
}

/** The share of `total` bytes that arrived, from 0 to 1; 1 for an empty file. */
export function shareOf(held: number, total: number): number {
  return total === 0 ? 1 : held / total
}

/** The number of quarters of `total` that arrived: 0 to 4. */
export function quarterOf(held: number, total: number): number {
  return Math.floor(shareOf(held, total) * 4)
}
