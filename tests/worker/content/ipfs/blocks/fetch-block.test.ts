import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchBlock, type GatewayPool } from '../../../../../worker/content/ipfs/blocks/fetch-block.ts'
import { randomBytes } from '../dag-fixture.ts'
import { type Answer, silence } from '../scripted-hosts.ts'

const bytes = randomBytes(1000)
const cid = CID.createV1(0x55, await sha256.digest(bytes))

const good: Answer = () => new Response(bytes)
const wrong: Answer = () => new Response(randomBytes(1000))
const page: Answer = () => new Response('<!doctype html>Sorry!', { headers: { 'Content-Type': 'text/html' } })
const endless: Answer = () => new Response(new Blob([new Uint8Array(3 * 1024 * 1024)]).stream())
const missing: Answer = () => new Response('no', { status: 404 })
const broken: Answer = () => new Response('no', { status: 500 })
const moved: Answer = () => new Response(null, { status: 301, headers: { Location: 'http://elsewhere.test/' } })

function poolOf(...answers: Answer[]): GatewayPool & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    urls: answers.map((_, index) => `http://g${index}`),
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const { hostname } = new URL(request.url)
      asked.push(hostname)
      return await (answers[Number(hostname.slice(1))] ?? missing)(request)
    },
  }
}

describe('a block from gateways', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('is asked for raw, from one gateway while that answers', async () => {
    const pool = poolOf(good, good)
    const request = vi.spyOn(pool, 'fetch')
    expect(await fetchBlock(cid, pool)).toEqual(bytes)
    expect(request.mock.calls.map(([url]) => url)).toEqual([`http://g0/ipfs/${cid}?format=raw`])
  })

  const failures: [string, Answer][] = [
    ['I6: sends other bytes', wrong],
    ['I16: says 200 with a page of HTML', page],
    ['sends more than a block may have', endless],
    ['does not have it', missing],
    ['breaks', broken],
    ['sends the asker elsewhere', moved],
  ]
  it.each(failures)('comes from the next when the first %s', async (_, answer) => {
    const pool = poolOf(answer, good)
    expect(await fetchBlock(cid, pool)).toEqual(bytes)
    expect(pool.asked).toEqual(['g0', 'g1'])
  })

  it('is not asked of a gateway that lied, and next of the one that answered', async () => {
    const pool = poolOf(wrong, missing, good)
    await fetchBlock(cid, pool)
    expect(pool.urls).toEqual(['http://g2', 'http://g1'])
    await fetchBlock(cid, pool)
    expect(pool.asked).toEqual(['g0', 'g1', 'g2', 'g2'])
  })

  it('waits one hedge delay for two slow gateways, not two', async () => {
    const pool = poolOf(silence, silence, good)
    const block = fetchBlock(cid, pool)
    await vi.advanceTimersByTimeAsync(399)
    expect(pool.asked).toEqual(['g0'])
    await vi.advanceTimersByTimeAsync(1)
    expect(pool.asked).toEqual(['g0', 'g1', 'g2'])
    expect(await block).toEqual(bytes)
  })

  it('ends the requests that lost', async () => {
    let ended = 0
    const counted: Answer = (request) => {
      request.signal.addEventListener('abort', () => ended++)
      return silence(request)
    }
    const block = fetchBlock(cid, poolOf(counted, good))
    await vi.advanceTimersByTimeAsync(400)
    await block
    expect(ended).toBe(1)
  })

  const outcomes: [string, Answer[], number, string][] = [
    ['all say that they do not have it', [missing, missing], 404, 'block_not_found'],
    ['there is no gateway', [], 404, 'block_not_found'],
    ['one says so and another breaks', [missing, broken], 502, 'bad_gateway'],
    ['one says so and another lies', [missing, wrong], 502, 'bad_gateway'],
    ['all lie', [wrong, page], 502, 'bad_gateway'],
  ]
  it.each(outcomes)('when %s is an error of its own', async (_, answers, status, code) => {
    await expect(fetchBlock(cid, poolOf(...answers))).rejects.toMatchObject({ status, code })
  })

  it('is a 504 when nobody answers in time', async () => {
    const block = fetchBlock(cid, poolOf(silence, missing))
    const outcome = expect(block).rejects.toMatchObject({ status: 504, code: 'gateway_timeout' })
    await vi.advanceTimersByTimeAsync(9_000)
    await outcome
  })
})
