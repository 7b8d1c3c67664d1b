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

/** The quarter that `held` of `total` reached: 0 to 4. */
export function quarterOf(held: number, total: number): number {
  return total === 0 ? 4 : Math.floor((held / total) * 4)
}
