import { HooklineError } from '../http/api-error.ts'

/**
 * Locks a name in all tabs of an origin (Web Locks API) until the returned function is called. Without that API, as
 * over plain http, nothing is locked.
 * @throws {HooklineError} `running_already`
 */
export async function lockByName(name: string): Promise<() => Promise<void>> {
  const locks = 'navigator' in globalThis ? navigator.locks : undefined
  if (!locks) return async () => {}
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        // The lock lasts until the promise that is returned here settles.
        if (lock) return new Promise<void>((release) => resolve(async () => release()))
        const message = 'The same order is already running in another tab or call. Wait until it ends.'
        reject(new HooklineError('running_already', message))
        return undefined
      })
      .catch(reject)
  })
}
