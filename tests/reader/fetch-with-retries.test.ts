import { describe, expect, it } from 'vitest'
import { fetchWithRetries, type RetryTools } from '../../reader/fetch-with-retries.ts'

/** A server that answers one after another, and what was waited for in between (ms). */
function serverOf(answers: (() => Response | Promise<Response>)[]) {
  const waits: number[] = []
  const tools: RetryTools = {
    now: () => 0,
    random: () => 0.5,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      waits.push(ms)
    },
  }
  const fetch = async () => {
    const answer = answers.shift()
    if (!answer) throw new Error('asked once too often')
    return answer()
  }
  const read = async (signal?: AbortSignal) => {
    const pieces: string[] = []
    const options = { fetch, silence: 1000, signal }
    for await (const piece of fetchWithRetries({ url: 'https://api.test/a', maxBytes: 100 }, options, tools)) {
      pieces.push(new TextDecoder().decode(piece))
    }
    return pieces.join('')
  }
  return { read, waits }
}

const lost = () => {
  throw new TypeError('connection refused')
}
const refusal = (status: number, retryAfter?: string) => () =>
  new Response(null, { status, headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter } })
const good = () => new Response('bytes')

describe('command 33: reading from a server that fails', () => {
  it.each([408, 429, 500, 502, 503, 504])('is tried again after %d, a little later each time', async (status) => {
    const { read, waits } = serverOf([refusal(status), refusal(status), good])
    expect(await read()).toBe('bytes')
    expect(waits).toEqual([375, 750])
  })

  it('is tried again where the network fails', async () => {
    const { read, waits } = serverOf([lost, good])
    expect(await read()).toBe('bytes')
    expect(waits).toHaveLength(1)
  })

  it('waits at least as long as Retry-After says', async () => {
    const { read, waits } = serverOf([refusal(503, '7'), good])
    expect(await read()).toBe('bytes')
    expect(waits[0]).toBeGreaterThanOrEqual(7000)
  })

  it('beyond 60 s is an error that says how long', async () => {
    const { read, waits } = serverOf([refusal(429, '61')])
    await expect(read()).rejects.toMatchObject({ code: 'unavailable', response: { status: 429 }, seconds: 61 })
    expect(waits).toEqual([])
  })

  it('is given up after four more tries', async () => {
    const { read, waits } = serverOf(Array.from({ length: 5 }, () => refusal(503)))
    await expect(read()).rejects.toMatchObject({ code: 'unavailable' })
    expect(waits).toHaveLength(4)
  })

  it.each([404, 451, 403])('is not tried again after %d', async (status) => {
    await expect(serverOf([refusal(status)]).read()).rejects.toThrow()
  })

  it('is not begun anew once bytes have come', async () => {
    const broken = () => {
      let sent = 0
      return new Response(
        new ReadableStream({
          pull: (stream) => (sent++ === 0 ? stream.enqueue(new Uint8Array(5)) : stream.error(new Error('cut'))),
        }),
      )
    }
    await expect(serverOf([broken]).read()).rejects.toMatchObject({ code: 'network' })
  })

  it('ends at once with the reason of the signal', async () => {
    const controller = new AbortController()
    const { read } = serverOf([
      () => {
        controller.abort(new Error('enough'))
        return refusal(503)()
      },
    ])
    await expect(read(controller.signal)).rejects.toThrow('enough')
  })
})
