import { afterEach, beforeEach, vi } from 'vitest'

/** What answers at one host name; it may hang, lie or break. */
export type Answer = (request: Request) => Response | Promise<Response>

/** Puts `answers` in the place of the network for each test, and notes what was asked. */
export function useScriptedHosts() {
  const hosts = {
    answers: new Map<string, Answer>(),
    asked: [] as string[],
    /** How many requests a host got. */
    count: (host: string) => hosts.asked.filter((url) => new URL(url).hostname === host).length,
  }
  beforeEach(() => {
    hosts.answers.clear()
    hosts.asked.length = 0
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const request = new Request(input, init)
      const { hostname } = new URL(request.url)
      hosts.asked.push(request.url)
      const answer = hosts.answers.get(hostname)
      if (!answer) throw new TypeError(`nothing listens at ${hostname}`)
      return await answer(request)
    })
  })
  afterEach(() => void vi.restoreAllMocks())
  return hosts
}

/** An answer that never comes, but ends when the asker gives up. */
export const silence: Answer = (request) =>
  new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)))
