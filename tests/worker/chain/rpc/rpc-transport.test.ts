import { afterEach, expect, it, vi } from 'vitest'
import { postBatch } from '../../../../worker/chain/rpc/rpc-transport.ts'

afterEach(() => void vi.restoreAllMocks())

const ask = () =>
  postBatch({ url: 'http://node.test/', authorization: undefined }, [{ method: 'getblockcount', params: [] }], {
    signal: AbortSignal.timeout(5_000),
    maxBytes: 1_000,
  })

for (const [status, who] of [
  [503, 'Bitcoin Core'],
  [500, 'Dogecoin Core 1.14'],
] as const) {
  it(`takes a node whose work queue is full for busy, not for broken, as ${who} says it`, async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('Work queue depth exceeded', { status }))
    await expect(ask()).rejects.toMatchObject({ failure: 'busy' })
  })
}

it('takes another error in plain text for broken', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('<h1>proxy</h1>', { status: 500 }))
  await expect(ask()).rejects.toMatchObject({ failure: 'invalid_response' })
})
