import { Session } from 'node:inspector'

/** Of each script by its id, a 1 for each character of source that ran. */
export type Ran = ReadonlyMap<string, Uint8Array>

/** What this thread's V8 says of which code ran, to guide the search for inputs (Chrome DevTools Protocol, Profiler). */
export class Coverage {
  readonly #session = new Session()
  readonly #folders: readonly string[]
  readonly #known = new Map<string, Uint8Array>()

  /** @param folders beginnings of `file:` URLs: only code there counts. */
  constructor(folders: readonly string[]) {
    this.#folders = folders
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** How many characters of source are known to have run. */
  get size(): number {
    return [...this.#known.values()].reduce((sum, ran) => sum + ran.reduce((count, one) => count + one, 0), 0)
  }

  /** What ran since the last call. */
  take(): Ran {
    const ran = new Map<string, Uint8Array>()
    this.#session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { scriptId, url, functions } of result) {
        if (!this.#folders.some((folder) => url.startsWith(folder))) continue
        const ranges = functions.flatMap((each) => each.ranges)
        const source = new Uint8Array(Math.max(0, ...ranges.map(({ endOffset }) => endOffset)))
        // Inner ranges come behind the ones around them, and say otherwise.
        for (const { startOffset, endOffset, count } of ranges) source.fill(count > 0 ? 1 : 0, startOffset, endOffset)
        ran.set(scriptId, source)
      }
    })
    return ran
  }

  /** Whether code ran that is not known to have run before. */
  hasNews(ran: Ran): boolean {
    return [...ran].some(([id, source]) => {
      const known = this.#known.get(id)
      return source.some((one, at) => one === 1 && known?.[at] !== 1)
    })
  }

  /** Adds what ran to what is known; answers whether any of it was new. */
  learn(ran: Ran): boolean {
    const news = this.hasNews(ran)
    for (const [id, source] of news ? ran : []) {
      const known = this.#known.get(id) ?? new Uint8Array(0)
      const all = new Uint8Array(Math.max(known.length, source.length))
      for (let at = 0; at < all.length; at++) all[at] = (known[at] ?? 0) | (source[at] ?? 0)
      this.#known.set(id, all)
    }
    return news
  }

  close(): void {
    this.#session.disconnect()
  }
}
