import { HooklineError } from '../http/api-error.ts'

/**
 * Holds a lock of all tabs of an origin (Web Locks API) until the returned function is called; where the page has none of
 * them, as by plain http, it holds nothing. @throws {HooklineError} `running_already`
 */
export async function lockByName(name: string): Promise<() => Promise<void>> {
  const locks = 'navigator' in globalThis ? navigator.locks : undefined
  if (!locks) return async () => {}
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        // Held until the promise that is returned here is settled.
        if (lock) return new Promise<void>((release) => resolve(async () => release()))
        const message = 'The same order is under way already, in another tab or call. Wait for it.'
        reject(new HooklineError('running_already', message))
        return undefined
      })
      .catch(reject)
  })
}
