/** When so many bytes were held in all, `at` in ms. */
export interface Sample {
  at: number
  held: number
}

/** Samples older than this say nothing of now. */
const WINDOW_MS = 15_000
const MAX_SAMPLES = 200

export function addSample(samples: readonly Sample[], sample: Sample): Sample[] {
  return [...samples, sample].filter(({ at }) => sample.at - at <= WINDOW_MS).slice(-MAX_SAMPLES)
}

/** Bytes a second over the last seconds, and the seconds left; undefined while too little is known. */
export function uploadRate(samples: readonly Sample[], total: number): { rate: number; left: number } | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (!first || !last || last.at - first.at < 1000 || last.held <= first.held) return undefined
  const rate = ((last.held - first.held) / (last.at - first.at)) * 1000
  return { rate, left: Math.max(0, total - last.held) / rate }
}

/** How much of `total` bytes is held, from 0 to 1; of 0 bytes all is. */
export function shareOf(held: number, total: number): number {
  return total === 0 ? 1 : held / total
}

/** The quarter that `held` of `total` reached: 0 to 4. */
export function quarterOf(held: number, total: number): number {
  return Math.floor(shareOf(held, total) * 4)
}
