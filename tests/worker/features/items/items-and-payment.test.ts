import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { sweepItems } from '../../../../worker/features/items/sweep.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi, prose, uploadItem } from './api.ts'

const chain = useDevnet()
const DAY = 86_400_000

let api: Api
beforeEach(async () => {
  chain.setAhead(0)
  api = callApi((await signIn()).headers)
})

async function mergedItem(fields: Parameters<typeof uploadItem>[2] = {}): Promise<string> {
  const id = await uploadItem(api, prose(100), { blockchain: 'Bitcoin', ...fields })
  await api.send('POST', `/item/${id}/merge`)
  return id
}
async function askToPay(ids: string[]): Promise<{ address: string; amount: number }> {
  const response = await api.sendJson('POST', '/payment', { blockchain: 'Bitcoin', ids })
  if (response.status !== 402) throw new Error(`${response.status} ${await response.text()}`)
  return await response.json()
}
const statusOf = async (id: string) => (await api.send('GET', `/item/${id}`)).status

describe('an item that a payment request waits for', () => {
  it('can be deleted while nothing was paid, which ends the request and leaves its other items', async () => {
    const [one, two] = [await mergedItem(), await mergedItem()]
    const { address } = await askToPay([one, two])
    expect((await api.send('DELETE', `/item/${one}`)).status).toBe(204)
    expect((await api.sendJson('DELETE', '/payment', { address })).status).toBe(404)
    expect((await askToPay([two])).address).not.toBe(address)
  })

  it('is deleted once when that is asked for twice at once; to the other it is gone', async () => {
    const id = await mergedItem()
    await askToPay([id])
    const answers = await Promise.all([api.send('DELETE', `/item/${id}`), api.send('DELETE', `/item/${id}`)])
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404])
  })

  it('cannot be deleted once money was seen', async () => {
    const id = await mergedItem()
    const { address, amount } = await askToPay([id])
    chain.pay('Bitcoin', address, amount / 2)
    await chain.work('Bitcoin')
    const response = await api.send('DELETE', `/item/${id}`)
    expect([response.status, await response.json()]).toEqual([409, expect.objectContaining({ code: 'payment_seen' })])
    expect(await statusOf(id)).toBe(200)
  })

  it('is not swept, however long the request waits', async () => {
    const id = await mergedItem()
    await askToPay([id])
    await sweepItems(env, Date.now() + 8 * DAY)
    expect(await statusOf(id)).toBe(200)
  })

  it('keeps its folder from being merged', async () => {
    const response = await api.sendJson('POST', '/folder', { name: 'f', blockchain: 'IPFS' })
    const { id: folder }: { id: string } = await response.json()
    const id = await mergedItem({ blockchain: 'IPFS', folder })
    const asked = await api.sendJson('POST', '/payment', { blockchain: 'IPFS', ids: [id] })
    expect(asked.status).toBe(402)
    const merged = await api.send('POST', `/folder/${folder}/merge`)
    expect([merged.status, await merged.json()]).toEqual([409, expect.objectContaining({ code: 'folder_changed' })])
  })
})

describe('cancelling a request', () => {
  it('removes its items, their chunks and the folders that this empties', async () => {
    const makeFolder = async (name: string) => {
      const response = await api.sendJson('POST', '/folder', { name, blockchain: 'Bitcoin' })
      const { id }: { id: string } = await response.json()
      return id
    }
    const [emptied, kept] = [await makeFolder('emptied'), await makeFolder('kept')]
    const one = await mergedItem({ folder: emptied })
    const two = await mergedItem({ folder: kept })
    const other = await mergedItem({ folder: kept })
    const { address } = await askToPay([one, two])
    expect((await api.sendJson('DELETE', '/payment', { address })).status).toBe(200)
    expect([await statusOf(one), await statusOf(two), await statusOf(other)]).toEqual([404, 404, 200])
    expect(await makeFolder('kept')).toBe(kept)
    expect(await makeFolder('emptied')).not.toBe(emptied)
    await sweepItems(env, Date.now())
    for (const id of [one, two]) expect(await env.BUCKET.head(`stored/${id}`)).toBeNull()
  })
})
