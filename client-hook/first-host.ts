/**
 * Milliseconds before the next host is requested too. A slow connection needs two seconds for 80 KB, and would need four if
 * two hosts sent it at once.
 */
const PATIENCE_MS = 3000

/**
 * The first result of any host. The next host is requested if one fails, or if it needs longer than three seconds.
 * @throws the first error if all hosts failed
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
