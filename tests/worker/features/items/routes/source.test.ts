import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { storeItem } from '../../../../kit/store-item.ts'
import { fetchApi } from '../../../fetch-api.ts'

const TXIDS = ['ab'.repeat(32), 'cd'.repeat(32)]
const CID = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

const source = (id: string) => fetchApi('GET', `/v0/item/${id}/source`, { headers: { Origin: 'https://page.example' } })

describe('GET /v0/item/<id>/source', () => {
  it('names the txids of an item on a chain, to anybody and to any page', async () => {
    const id = await storeItem(env.DB, { blockchain: 'Nativecoin', txids: TXIDS })
    const response = await source(id)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(await response.json()).toEqual({
      blockchain: 'Nativecoin',
      name: 'site',
      mimetype: 'text/html',
      size: 1,
      txids: TXIDS,
    })
  })

  it('names the CID of an item on IPFS', async () => {
    const id = await storeItem(env.DB, { blockchain: 'IPFS', cid: CID })
    expect(await (await source(id)).json()).toMatchObject({ blockchain: 'IPFS', cid: CID })
  })

  it.each([201, 402, 202, 409])('404: an item in %d, which is not published yet', async (status) => {
    const id = await storeItem(env.DB, { blockchain: 'IPFS', cid: CID, status })
    expect((await source(id)).status).toBe(404)
  })

  it('404: no id at all', async () => {
    expect((await source('x')).status).toBe(404)
  })
})
