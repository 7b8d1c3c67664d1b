import { describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../../protocol/bytes.ts'
import { RPC_READ_TIMEOUT_MS } from '../../../../../worker/chain/rpc/rpc-policy.ts'
import { carry, store, useScriptedNodes } from '../../../scripted-node.ts'
import { code, page, post } from './ask.ts'

const nodes = useScriptedNodes()
const bitcoin = [nodes['bitcoin-a.test'], nodes['bitcoin-b.test']]
const requests = () => bitcoin.reduce((sum, node) => sum + node.requests.length, 0)

describe('the node', () => {
  it('sees one HTTP request for up to 100 small transactions, and at most 10 for 1,000', async () => {
    await post('/v0/blob', {
      blockchain: 'Bitcoin',
      txids: store(bitcoin, crypto.getRandomValues(new Uint8Array(8_000))),
    })
    expect(requests()).toBe(1)
    await post('/v0/blob', {
      blockchain: 'Bitcoin',
      txids: store(bitcoin, crypto.getRandomValues(new Uint8Array(64_000)), 64),
    })
    expect(requests()).toBeLessThanOrEqual(11)
  })

  it('is not asked again for what is warm', async () => {
    const body = { blockchain: 'Bitcoin', txids: store(bitcoin, page()) }
    await post('/v0/web', body)
    const asked = requests()
    const warm = await post('/v0/web', body)
    expect(warm.headers.get('Server-Timing')).toBe('cache;desc=memory')
    await post('/v0/blob', body)
    expect(requests()).toBe(asked)
  })

  it('is asked at most twice by 100 readers of the same cold content', async () => {
    const [first, second] = bitcoin
    if (!first || !second) throw new Error('two nodes')
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    for (const node of bitcoin) node.misbehave = (answer) => gate.then(answer)
    const body = { blockchain: 'Bitcoin', txids: store(bitcoin, page()) }
    const readers = Array.from({ length: 100 }, () => post('/v0/blob', body))
    setTimeout(open, 100)
    for (const response of await Promise.all(readers)) expect(response.status).toBe(200)
    expect(requests()).toBeLessThanOrEqual(2)
  })

  it('is not asked for the raw transactions after the content was read', async () => {
    const body = { blockchain: 'Bitcoin', txids: store(bitcoin, page()) }
    await post('/v0/web', body)
    const asked = requests()
    expect((await post('/v0/tx', body)).status).toBe(200)
    expect(requests()).toBe(asked)
  })

  const lies: [string, (answer: () => Response) => Response | Promise<Response>][] = [
    [
      'another transaction',
      async (answer) =>
        Response.json(
          ((await answer().json()) as { id: number }[]).map(({ id }) => ({ id, result: carry(Uint8Array.of(1)).hex })),
        ),
    ],
    ['one altered byte', async (answer) => new Response((await answer().text()).replace('6a', '6b'))],
    ['cut JSON', async (answer) => new Response((await answer().text()).slice(0, -20))],
    ['an HTML page', () => new Response('<html>busy</html>')],
    ['a truncated transaction', async (answer) => new Response((await answer().text()).replace(/00000000"/g, '"'))],
    ['an empty list', () => Response.json([])],
    ['null', () => Response.json(null)],
    ['a result that is no hex', () => Response.json([{ id: 0, result: { evil: true } }])],
  ]
  it.each(lies)('that answers with %s is passed over for the next', async (_, lie) => {
    nodes['bitcoin-a.test'].misbehave = lie
    const stored = page()
    for (let turn = 0; turn < 2; turn++) {
      const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: store(bitcoin, stored, 79 + turn) })
      expect(await response.text()).toBe(toHex(stored))
    }
  })

  it.each(lies)('that is the only one and answers with %s makes a 502, and nothing is kept', async (_, lie) => {
    const node = nodes['nativecoin.test']
    node.misbehave = lie
    const stored = page()
    const body = { blockchain: 'Nativecoin', txids: store([node], stored, 50) }
    const response = await post('/v0/blob', body)
    expect(response.status).toBe(502)
    expect(await code(response)).toBe('node_bad_answer')
    node.misbehave = undefined
    expect(await (await post('/v0/blob', body)).text()).toBe(toHex(stored))
  })

  it('that floods is cut off', async () => {
    const node = nodes['nativecoin.test']
    const block = new Uint8Array(1 << 20).fill(0x20)
    let sent = 0
    node.misbehave = () =>
      new Response(
        new ReadableStream({ pull: (controller) => (sent++ < 200 ? controller.enqueue(block) : controller.close()) }),
      )
    const response = await post('/v0/blob', { blockchain: 'Nativecoin', txids: store([node], page()) })
    expect(response.status).toBe(502)
    expect(sent).toBeLessThan(30)
  })

  it('that is unreachable makes a 502, never a 404', async () => {
    nodes['dogecoin.test'].misbehave = () => Promise.reject(new TypeError('connection refused'))
    const response = await post('/v0/blob', { blockchain: 'Dogecoin', txids: ['e'.repeat(64)] })
    expect(response.status).toBe(502)
    expect(response.headers.get('Retry-After')).toBe('5')
  })

  it('that has not the transaction does not speak for the other, which has', async () => {
    const stored = page()
    const txids = store([nodes['bitcoin-b.test']], stored)
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids })
    expect(await response.text()).toBe(toHex(stored))
  })

  it('that cannot be asked leaves the question open: 502 where the other has nothing', async () => {
    nodes['bitcoin-b.test'].misbehave = () => new Response('<html>', { status: 500 })
    const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: ['d'.repeat(64)] })
    expect(response.status).toBe(502)
  })

  const silence = () => new Promise<Response>(() => {})

  it('that says nothing makes a 504 within 10 s', async () => {
    expect(RPC_READ_TIMEOUT_MS).toBeLessThan(10_000)
    nodes['dogecoin.test'].misbehave = silence
    const { setTimeout } = globalThis
    // A node is waited for a twentieth of its time, and D1 and R2 for all of theirs.
    const timeOf = (ms: number) => (ms === RPC_READ_TIMEOUT_MS ? ms / 20 : ms)
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((run, ms = 0) => setTimeout(run, timeOf(ms)))
    const response = await post('/v0/blob', { blockchain: 'Dogecoin', txids: ['c'.repeat(64)] })
    expect(response.status).toBe(504)
    expect(nodes['dogecoin.test'].requests).toHaveLength(1)
  })

  it('that says nothing is waited for no longer than it takes to ask the other', async () => {
    nodes['bitcoin-a.test'].misbehave = silence
    // Each begins with another node.
    for (let turn = 0; turn < 2; turn++) {
      const response = await post('/v0/blob', { blockchain: 'Bitcoin', txids: store(bitcoin, page()) })
      expect(response.status).toBe(200)
    }
    expect(nodes['bitcoin-a.test'].requests).toHaveLength(1)
  })

  it('is not asked on when content passes the limit', async () => {
    const node = nodes['nativecoin.test']
    const data = new Uint8Array(102_480)
    const txids = Array.from({ length: 170 }, (_, index) => {
      data[0] = index
      return store([node], data, data.length)[0] ?? ''
    })
    const response = await post('/v0/blob', { blockchain: 'Nativecoin', txids })
    expect(response.status).toBe(422)
    expect(await code(response)).toBe('content_too_large')
  })
})
