import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Fields, parseJson } from '../../client/http/parse-json.ts'
import { ApiError, createClient, memoryTokenStore } from '../../client/index.ts'
import { parseEvents } from '../../client/resources/events.ts'
import { parseRetryAfter, retryDelay } from '../../reader/retry-delay.ts'
import { sleep } from '../../reader/sleep.ts'

interface Seen {
  method: string
  path: string
  headers: Headers
}

/** A client that receives these responses in turn; `waits` are the durations of its pauses. */
function scripted(answers: ((seen: Seen) => Response | Promise<Response>)[], random = 0) {
  const seen: Seen[] = []
  const waits: number[] = []
  const client = createClient({
    api: 'https://api.test',
    key: 'hk_test',
    random: () => random,
    now: () => Date.parse('2026-11-22T00:00:00Z'),
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      waits.push(ms)
    },
    async fetch(url, init) {
      const request = {
        method: init.method ?? '',
        path: new URL(url).pathname + new URL(url).search,
        headers: new Headers(init.headers),
      }
      seen.push(request)
      const answer = answers[Math.min(seen.length, answers.length) - 1]
      if (!answer) throw new Error('nothing to answer')
      return answer(request)
    },
  })
  return { client, seen, waits }
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ code: 'busy', message: 'Busy.' }, { status: code, headers })
const FOLDER = { blockchain: 'IPFS', parent: null, item: null, items: 0, createdAt: 1 }
const page = (items: string[], cursor?: string) => () =>
  Response.json({ folders: items.map((id) => ({ ...FOLDER, id, name: id })), ...(cursor && { cursor }) })
const offline = () => {
  throw new TypeError('fetch failed')
}

describe('command 33: a request that fails', () => {
  it.each([408, 429, 500, 502, 503, 504])('with %i is sent again when it only reads', async (code) => {
    const { client, seen } = scripted([status(code), page([])])
    await client.request({ method: 'GET', path: '/v0/folder' })
    expect(seen).toHaveLength(2)
  })

  it('in the network is sent again, at most four times, later each time', async () => {
    const { client, seen, waits } = scripted([offline], 1)
    await expect(client.request({ method: 'GET', path: '/v0/folder' })).rejects.toMatchObject({ code: 'network' })
    expect(seen).toHaveLength(5)
    expect(waits).toEqual([500, 1000, 2000, 4000])
  })

  it.each([400, 401, 403, 404, 409, 413, 422, 451, 501])('with %i is final', async (code) => {
    const { client, seen } = scripted([status(code)])
    await expect(client.request({ method: 'GET', path: '/v0/folder' })).rejects.toMatchObject({ status: code })
    expect(seen).toHaveLength(1)
  })

  it('and creates something is sent once without a key, and again with the same key', async () => {
    const bare = scripted([status(503)])
    await expect(bare.client.request({ method: 'POST', path: '/v0/folder', json: {} })).rejects.toThrow('Busy.')
    expect(bare.seen).toHaveLength(1)
    const keyed = scripted([offline, status(503), () => Response.json({ id: 'f1' })])
    await keyed.client.folders.create({ name: 'a', blockchain: 'IPFS' }, { idempotencyKey: 'k1' })
    expect(keyed.seen.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual(['k1', 'k1', 'k1'])
  })

  it('is a keyed POST whose first try still runs: it is asked again when the service says', async () => {
    const { client, waits } = scripted([status(409, { 'Retry-After': '2' }), () => Response.json({ id: 'f1' })])
    await client.folders.create({ name: 'a', blockchain: 'IPFS' }, { idempotencyKey: 'k1' })
    expect(waits).toEqual([2000])
  })

  it('sends the chunk of an upload again', async () => {
    const { client, seen } = scripted([status(502), () => new Response(null, { status: 204 })])
    await client.items.sendChunk('i1', 0, new Uint8Array(3))
    expect(seen.map(({ method }) => method)).toEqual(['PUT', 'PUT'])
  })

  it('has an answer without end: it is read to 8 MiB and cut', async () => {
    let sent = 0
    let cancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1 << 20
        controller.enqueue(new Uint8Array(1 << 20).fill(0x20))
      },
      cancel() {
        cancelled = true
      },
    })
    const { client, seen } = scripted([() => new Response(endless)])
    await expect(client.request({ method: 'GET', path: '/v0/user' })).rejects.toMatchObject({
      code: 'answer_too_large',
    })
    expect([cancelled, seen.length]).toEqual([true, 1])
    expect(sent).toBeLessThan(12 << 20)
  })

  describe('whose answer comes slowly', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    /** A client of a service that sends the first byte of an answer, and another every so many milliseconds. */
    function slow(every: number) {
      let asked = 0
      const client = createClient({
        api: 'https://api.test',
        key: 'hk_test',
        sleep: async () => {},
        async fetch(_, { signal }) {
          asked++
          let timer: ReturnType<typeof setInterval>
          const body = new ReadableStream({
            start(controller) {
              controller.enqueue(new Uint8Array(1))
              timer = setInterval(() => controller.enqueue(new Uint8Array(1)), every)
              signal?.addEventListener('abort', () => {
                clearInterval(timer)
                controller.error(signal.reason)
              })
            },
          })
          return new Response(body)
        },
      })
      return { outcome: client.request({ method: 'GET', path: '/v0/user' }), asked: () => asked }
    }

    it('and stops in the middle is asked for again after 30 s without a byte', async () => {
      const { outcome, asked } = slow(1_000_000)
      const refused = expect(outcome).rejects.toMatchObject({ code: 'timeout' })
      await vi.advanceTimersByTimeAsync(29_999)
      expect(asked()).toBe(1)
      await vi.advanceTimersByTimeAsync(5 * 30_000)
      await refused
      expect(asked()).toBe(5)
    })

    it('and drips is given up after five minutes, and not asked for again', async () => {
      const { outcome, asked } = slow(20_000)
      const refused = expect(outcome).rejects.toMatchObject({ code: 'answer_too_slow' })
      await vi.advanceTimersByTimeAsync(301_000)
      await refused
      expect(asked()).toBe(1)
    })
  })

  it('is never sent before Retry-After, whatever the jitter', () => {
    for (const random of [0, 0.3, 0.999]) {
      for (const retryAfter of ['1', '7', '60', 'Sun, 22 Nov 2026 00:00:30 GMT']) {
        const now = Date.parse('2026-11-22T00:00:00Z')
        const failed = { retries: 0, status: 429, retryAfter, repeatable: true }
        const floor = (parseRetryAfter(retryAfter, now) ?? Number.NaN) * 1000
        expect(retryDelay(failed, now, random)).toBeGreaterThanOrEqual(floor)
      }
    }
  })

  it('is an error with retryAfter when the pause is longer than 60 s', async () => {
    const { client, seen, waits } = scripted([status(429, { 'Retry-After': '61' })])
    const failing = client.request({ method: 'GET', path: '/v0/folder' })
    await expect(failing).rejects.toMatchObject({ status: 429, retryAfter: 61 })
    expect([seen.length, waits.length]).toEqual([1, 0])
  })

  it('ends a wait at once when the signal is aborted', async () => {
    const controller = new AbortController()
    const waiting = sleep(3_600_000, controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })
})

describe('an error of the API', () => {
  it('has its code, sentence, details and request id', async () => {
    const { client } = scripted([
      () =>
        Response.json(
          { code: 'chunks_missing', message: 'Chunks are missing.', missing: [1] },
          { status: 409, headers: { 'X-Request-Id': 'r-7' } },
        ),
    ])
    const error = await client.items.merge('i1').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      code: 'chunks_missing',
      message: 'Chunks are missing.',
      status: 409,
      requestId: 'r-7',
      details: { missing: [1] },
      path: '/v0/item/i1/merge',
    })
  })

  it.each(['', 'your API key', 'hk_…'])('is refused as an invalid key before any request: %j', async (key) => {
    let asked = 0
    const fetch = async () => {
      asked++
      return new Response()
    }
    await expect(createClient({ api: 'https://api.test', key, fetch }).items.get('i1')).rejects.toMatchObject({
      code: 'invalid_option',
    })
    expect(asked).toBe(0)
  })

  it('is no redirect: a key goes to the API and to nobody else', async () => {
    const { client, seen } = scripted([
      () => new Response(null, { status: 302, headers: { Location: 'https://evil.test/' } }),
    ])
    await expect(client.items.get('i1')).rejects.toMatchObject({ code: 'redirected' })
    expect(seen).toHaveLength(1)
  })

  it.each(['ftp://x', 'no address', 'https://user:secret@api.test', 'https://api.test/?a=b'])(
    'is %s as an address, at once',
    (api) => {
      expect(() => createClient({ api })).toThrow(expect.objectContaining({ code: 'invalid_option' }))
    },
  )
})

describe('command 34: a list', () => {
  it('gives items over all pages, and asks for no page after break', async () => {
    const { client, seen } = scripted([page(['a', 'b'], 'c1'), page(['c'], 'c2'), page(['d'])])
    const found: string[] = []
    for await (const { id } of client.folders.list()) {
      found.push(id)
      if (id === 'c') break
    }
    expect(found).toEqual(['a', 'b', 'c'])
    expect(seen.map(({ path }) => path)).toEqual(['/v0/folder', '/v0/folder?cursor=c1'])
  })

  it('gives pages by pages()', async () => {
    const { client } = scripted([page(['a', 'b'], 'c1'), page(['c'])])
    const pages: string[][] = []
    for await (const entries of client.folders.list().pages()) pages.push(entries.map(({ id }) => id))
    expect(pages).toEqual([['a', 'b'], ['c']])
  })
})

describe('a sign-in', () => {
  const token = (name: string, expires: number) => `h.${btoa(JSON.stringify({ name, exp: expires }))}.s`
  const now = Date.parse('2026-11-22T00:00:00Z')

  function signedIn(answers: (request: { path: string; authorization: string | null }) => Response) {
    const tokens = memoryTokenStore('refresh-1')
    const seen: string[] = []
    const client = createClient({
      api: 'https://api.test',
      tokens,
      now: () => now,
      async fetch(url, init) {
        const request = { path: new URL(url).pathname, authorization: new Headers(init.headers).get('Authorization') }
        seen.push(`${init.method} ${request.path}`)
        return answers(request)
      },
    })
    return { client, tokens, seen }
  }

  it('renews its access token once for all requests that wait for it', async () => {
    const { client, seen } = signedIn(({ path }) =>
      path === '/v0/token'
        ? Response.json({ accessToken: token('a', now / 1000 + 1800) }, { status: 201 })
        : page([])(),
    )
    const folders = () => client.request({ method: 'GET', path: '/v0/folder' })
    await Promise.all([folders(), folders(), folders()])
    expect(seen.filter((one) => one === 'PUT /v0/token')).toHaveLength(1)
  })

  it('is renewed at a 401, once', async () => {
    let renewed = 0
    const { client } = signedIn(({ path, authorization }) => {
      if (path === '/v0/token')
        return Response.json({ accessToken: token(`a${++renewed}`, now / 1000 + 1800) }, { status: 201 })
      return authorization === `Bearer ${token('a2', now / 1000 + 1800)}` ? page([])() : status(401)()
    })
    await client.request({ method: 'GET', path: '/v0/folder' })
    expect(renewed).toBe(2)
  })

  it('that the service does not know any more is an error, and asks nothing for ever', async () => {
    const { client, seen } = signedIn(() =>
      Response.json({ code: 'invalid_token', message: 'Log in.' }, { status: 401 }),
    )
    await expect(client.items.get('i1')).rejects.toMatchObject({ status: 401 })
    expect(seen.length).toBeLessThan(5)
  })

  it('that waits for its mail says so', async () => {
    const { client } = signedIn(() => Response.json({ message: 'Follow the link in the mail.' }, { status: 202 }))
    await expect(client.login('a@example.com', 'Correct1')).rejects.toMatchObject({ code: 'email_not_verified' })
  })
})

describe('amounts and events', () => {
  it('keeps every decimal of an amount, and leaves texts alone', () => {
    const text = '{"amount":90071992.54740993,"n":5,"s":"a \\"amount\\": 0.1 b","big":12345678901234567890}'
    expect(parseJson(text)).toEqual({
      amount: '90071992.54740993',
      n: 5,
      s: 'a "amount": 0.1 b',
      big: '12345678901234567890',
    })
  })

  it('reads a number that is no whole one as a number where one is wanted', () => {
    const fields = new Fields(parseJson('{"minutes":0.06666666666666667,"name":"a 1","empty":""}'), 'The target')
    expect(fields.number('minutes')).toBe(0.06666666666666667)
    for (const name of ['name', 'empty']) expect(() => fields.number(name)).toThrow(`has no number in ${name}`)
  })

  it('gives up an event that does not end', async () => {
    async function* pieces() {
      for (;;) yield `data: ${'x'.repeat(1 << 16)}`
    }
    await expect(parseEvents(pieces()).next()).rejects.toMatchObject({ code: 'answer_too_large' })
  })

  it.each([1, 2, 3, 7, 1000])('reads events however the stream is cut, here every %i characters', async (size) => {
    const stream =
      ': hello\r\n\r\nid: 7\r\nevent: item.stored\r\ndata: {"id":\r\ndata: "x"}\r\n\r\nevent: ping\ndata: text\n\nid: 9\rdata: 1\r\r'
    async function* pieces() {
      for (let start = 0; start < stream.length; start += size) yield stream.slice(start, start + size)
      yield '\n'
    }
    const events = []
    for await (const event of parseEvents(pieces())) events.push(event)
    expect(events).toEqual([
      { id: '7', type: 'item.stored', data: { id: 'x' } },
      { id: undefined, type: 'ping', data: 'text' },
      { id: '9', type: 'message', data: 1 },
    ])
  })
})
