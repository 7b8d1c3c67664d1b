/** In ms: how long a host is waited for alone. A slow line takes two seconds for 80 KB, and would take four for twice as many. */
const PATIENCE_MS = 3000

/**
 * What the first host gives that gives anything. The next one is asked when one fails, and beside one that takes longer
 * than three seconds. @throws what the first threw that failed, where all have.
 */
export function firstHost<Result>(hosts: readonly string[], load: (host: string) => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const waiting = [...hosts]
    let left = hosts.length
    let failure: unknown
    const askNext = () => {
      const host = waiting.shift()
      if (host === undefined) return
      const timer = setTimeout(askNext, PATIENCE_MS)
      load(host).then(resolve, (error) => {
        clearTimeout(timer)
        failure ??= error
        left--
        if (left > 0) askNext()
        else reject(failure)
      })
    }
    askNext()
  })
}
