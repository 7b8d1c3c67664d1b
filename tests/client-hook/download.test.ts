import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { download } from '../../client-hook/download.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Answers with these statuses in turn, the last again and again; gives the times of the requests, in s. */
function serve(...statuses: number[]): number[] {
  const times: number[] = []
  const start = Date.now()
  vi.stubGlobal('fetch', async () => {
    times.push((Date.now() - start) / 1000)
    return new Response('content', { status: (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 500 })
  })
  return times
}

async function outcomeOf(url = 'https://api.example/v0/tx/Bitcoin/00'): Promise<string> {
  const outcome = download(url, { limit: 100 }).then(
    (chunks) => chunks.map((chunk) => new TextDecoder().decode(chunk)).join(''),
    (error) => error.code,
  )
  await vi.runAllTimersAsync()
  return outcome
}

describe('a download', () => {
  it('from a server that counts requests is tried again through the minute that it counts', async () => {
    const times = serve(429)
    expect(await outcomeOf()).toBe('unavailable')
    expect(times).toEqual([0, 1, 3, 7, 15, 31, 63])
  })

  it('from a server that is overloaded is tried again twice, and taken as soon as it comes', async () => {
    const times = serve(503)
    expect(await outcomeOf()).toBe('unavailable')
    expect(times).toEqual([0, 1, 3])
    expect(serve(503, 200).length).toBe(0)
    expect(await outcomeOf()).toBe('content')
  })

  it.each([
    [404, 'not_found'],
    [451, 'denied'],
    [500, 'unavailable'],
    [502, 'unavailable'],
  ])('with status %i is %s at once', async (status, code) => {
    const times = serve(status)
    expect(await outcomeOf()).toBe(code)
    expect(times).toEqual([0])
  })

  it('is cut off where it is larger than it may be', async () => {
    vi.stubGlobal('fetch', async () => new Response(new Uint8Array(101)))
    expect(await outcomeOf()).toBe('too_large')
  })
})
