import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { sweepItems } from '../../../../worker/features/items/sweep.ts'
import { sweepOrphans } from '../../../../worker/features/items/sweep-orphans.ts'
import { runSql } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { type Api, callApi, createItem, prose, uploadItem } from './api.ts'

const DAY = 86_400_000

let api: Api
beforeAll(async () => {
  api = callApi((await signIn()).headers)
})

interface ItemList {
  items: { id: string; status: string; txids?: string[]; embed: string | null }[]
  cursor?: string
}

async function setStatus(id: string, status: number): Promise<void> {
  await runSql('UPDATE items SET status = ? WHERE id = ?', status, id)
}

describe('creating an item', () => {
  const valid = { name: 'a.txt', mimetype: 'text/plain', blockchain: 'Nativecoin', size: 5 }
  const refusals: [string, Record<string, unknown>, number, string][] = [
    ['no name', { name: undefined }, 400, 'name'],
    ['a name with a slash', { name: 'a/b' }, 400, 'name'],
    ['a name with a control character', { name: 'a\u0000' }, 400, 'name'],
    ['a name that leads out of its folder', { name: '..' }, 400, 'name'],
    ['a name of 256 characters', { name: 'a'.repeat(256) }, 400, 'name'],
    ['a media type without subtype', { mimetype: 'text' }, 400, 'mimetype'],
    ['a media type that ends a header', { mimetype: 'text/html\r\nX: y' }, 400, 'mimetype'],
    ['a blockchain in small letters', { blockchain: 'bitcoin' }, 400, 'blockchain'],
    ['a size below nothing', { size: -1 }, 400, 'size'],
    ['a size that is no whole number', { size: 1.5 }, 400, 'size'],
    ['a size as text', { size: '5' }, 400, 'size'],
    ['more than any item may have', { size: 2 ** 30 + 1, blockchain: 'IPFS' }, 413, '1073741824'],
    ['more than a chain gives back', { size: 2 ** 25 + 1 }, 422, 'IPFS would take it'],
    ['a folder that is no id', { folder: 'x' }, 400, 'folder'],
    ['a folder that is not there', { folder: 'a'.repeat(24) }, 404, 'folder'],
  ]
  for (const [what, change, status, words] of refusals) {
    it(`refuses ${what}`, async () => {
      const response = await api.sendJson('POST', '/item', { ...valid, ...change })
      expect(response.status).toBe(status)
      const { message }: { message: string } = await response.json()
      expect(message).toContain(words)
    })
  }

  it('refuses a folder of another target, and of another user', async () => {
    const other = callApi((await signIn()).headers)
    const make = async (owner: Api, blockchain: string) => {
      const response = await owner.sendJson('POST', '/folder', { name: 'f', blockchain })
      const { id }: { id: string } = await response.json()
      return id
    }
    const mine = await api.sendJson('POST', '/item', { ...valid, folder: await make(api, 'Bitcoin') })
    expect(mine.status).toBe(400)
    const theirs = await api.sendJson('POST', '/item', { ...valid, folder: await make(other, 'Nativecoin') })
    expect(theirs.status).toBe(404)
  })

  it('wants a token, JSON, and a body of at most 1 MiB', async () => {
    const anonymous = callApi({})
    expect((await anonymous.sendJson('POST', '/item', valid)).status).toBe(401)
    expect((await api.send('POST', '/item', JSON.stringify(valid))).status).toBe(415)
    expect((await api.sendJson('POST', '/item', { ...valid, more: 'x'.repeat(1024 * 1024) })).status).toBe(413)
  })
})

describe('listing items', () => {
  it('gives the newest first, page by page, each once', async () => {
    const owner = callApi((await signIn()).headers)
    const made: string[] = []
    for (let i = 0; i < 53; i++) made.unshift((await createItem(owner)).id)
    const first: ItemList = await (await owner.send('GET', '/item')).json()
    expect(first.items).toHaveLength(50)
    const second: ItemList = await (await owner.send('GET', `/item?cursor=${first.cursor}`)).json()
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made)
    expect(second.cursor).toBeUndefined()
  })

  it('filters by status, and shows everyone’s conflicts to an operator only', async () => {
    const user = callApi((await signIn()).headers)
    const operator = callApi((await signIn('admin')).headers)
    const { id } = await createItem(user)
    const { id: uploading } = await createItem(user)
    await setStatus(id, 409)
    const idsOf = async (caller: Api, status: string) => {
      const list: ItemList = await (await caller.send('GET', `/item?status=${status}`)).json()
      return list.items.map((item) => item.id)
    }
    expect(await idsOf(user, '409')).toEqual([id])
    expect(await idsOf(user, encodeURIComponent('201 Created'))).toEqual([uploading])
    expect(await idsOf(operator, '409')).toContain(id)
    expect(await idsOf(operator, '201')).toEqual([])
    expect(await idsOf(api, '409')).toEqual([])
  })

  for (const query of ['status=500', 'status=', 'cursor=x', 'cursor=1-x', `cursor=-${'a'.repeat(24)}`]) {
    it(`refuses ?${query}`, async () => {
      expect((await api.send('GET', `/item?${query}`)).status).toBe(400)
    })
  }
})

describe('an item that is stored', () => {
  it('shows its txids and the snippet that embeds it, from the moment it is 200 OK', async () => {
    const { id } = await createItem(api, { name: 'a "b".png', mimetype: 'image/png', blockchain: 'Bitcoin' })
    const txids = ['ab'.repeat(32), 'cd'.repeat(32)]
    await runSql('INSERT INTO item_txids (item_id, txids) VALUES (?, ?)', id, txids.join(''))
    for (const status of [201, 402, 202, 409]) {
      await setStatus(id, status)
      const item: ItemList['items'][0] = await (await api.send('GET', `/item/${id}`)).json()
      expect(item).not.toHaveProperty('txids')
      expect(item.embed).toBeNull()
    }
    await setStatus(id, 200)
    const item = await (await api.send('GET', `/item/${id}`)).json()
    expect(item).toMatchObject({
      status: '200 OK',
      txids,
      links: { web: `https://api.example/v0/web/Bitcoin/${txids.join(',')}` },
      embed: [
        '<style>img[data-src]:not([src]){display:inline-block}</style>',
        `<img class="Bitcoin" type="blob" data-src="${txids.join(',')}" data-mimetype="image/png" alt="a &#34;b&#34;.png">`,
        '<script src="https://api.example/hook.js" async></script>',
        `<script>window.hook?hook('Bitcoin'):document.addEventListener('dbReady',function(){hook('Bitcoin')},{once:true})</script>`,
      ].join('\n'),
    })
  })
})

describe('deleting an item', () => {
  it('removes an upload, and one that waits for payment, with all that was uploaded', async () => {
    const uploaded = await uploadItem(api, prose(50))
    const merged = await uploadItem(api, prose(50))
    await api.send('POST', `/item/${merged}/merge`)
    for (const id of [uploaded, merged]) {
      expect((await api.send('DELETE', `/item/${id}`)).status).toBe(204)
      expect((await api.send('GET', `/item/${id}`)).status).toBe(404)
      expect((await api.send('PUT', `/item/${id}/chunk/0`, prose(50))).status).toBe(404)
      expect((await api.send('DELETE', `/item/${id}`)).status).toBe(404)
    }
  })

  for (const status of [202, 200, 409]) {
    it(`refuses an item in ${status}`, async () => {
      const { id } = await createItem(api)
      await setStatus(id, status)
      const response = await api.send('DELETE', `/item/${id}`)
      expect([response.status, await response.json()]).toEqual([409, expect.objectContaining({ code: 'already_paid' })])
    })
  }
})

describe('the sweep', () => {
  const exists = async (id: string) => (await api.send('GET', `/item/${id}`)).status === 200
  const setAge = async (id: string, age: number) =>
    await runSql('UPDATE items SET updated_at = ? WHERE id = ?', Date.now() - age, id)

  it('removes uploads and unpaid items after 7 days, and none that is younger or paid', async () => {
    const ids: string[] = []
    for (const [status, age] of [
      [201, 7 * DAY + 1000],
      [402, 7 * DAY + 1000],
      [201, 7 * DAY - 60_000],
      [402, 7 * DAY - 60_000],
      [202, 8 * DAY],
      [200, 8 * DAY],
      [409, 8 * DAY],
    ] as const) {
      const id = await uploadItem(api, prose(10))
      await setStatus(id, status)
      await setAge(id, age)
      ids.push(id)
    }
    await Promise.all([sweepItems(env, Date.now()), sweepItems(env, Date.now())])
    expect(await Promise.all(ids.map(exists))).toEqual([false, false, true, true, true, true, true])
  })

  it('leaves an upload alone that goes on', async () => {
    const { id } = await createItem(api, { size: 3 })
    await setAge(id, 8 * DAY)
    await api.send('PUT', `/item/${id}/chunk/0`, 'abc')
    await sweepItems(env, Date.now())
    expect(await exists(id)).toBe(true)
  })

  it('deletes what a stored item was written from, a week after', async () => {
    const id = await uploadItem(api, prose(20))
    await api.send('POST', `/item/${id}/merge`)
    await setStatus(id, 200)
    await sweepItems(env, Date.now())
    expect(await env.BUCKET.head(`stored/${id}`)).not.toBeNull()
    await sweepItems(env, Date.now() + 8 * DAY)
    expect(await env.BUCKET.head(`stored/${id}`)).toBeNull()
  })

  it('deletes objects a day old that belong to no item, wherever it begins to look', async () => {
    const orphan = 'f'.repeat(24)
    const keys = [`chunks/${orphan}/0`, `stored/${orphan}`, `ipfs/pending/${orphan}/x`]
    const left = async () => (await Promise.all(keys.map((key) => env.BUCKET.head(key)))).filter((object) => object)
    const { id } = await createItem(api, { size: 3 })
    await api.send('PUT', `/item/${id}/chunk/0`, 'abc')
    for (const random of [0, 0.5, 1]) {
      for (const key of [...keys, 'ipfs/pending/import-1/x']) await env.BUCKET.put(key, 'x')
      await sweepOrphans(env, Date.now() + DAY / 2, random)
      expect(await left()).toHaveLength(3)
      await sweepOrphans(env, Date.now() + 2 * DAY, random)
      expect(await left()).toEqual([])
    }
    expect(await env.BUCKET.head(`chunks/${id}/0`)).not.toBeNull()
    expect(await env.BUCKET.head('ipfs/pending/import-1/x')).not.toBeNull()
  })

  it('wakes a merge that nobody took on', async () => {
    const id = await uploadItem(api, prose(20))
    await runSql('UPDATE items SET merging_at = ? WHERE id = ?', Date.now() - 600_000, id)
    await sweepItems(env, Date.now())
    const response = await api.send('POST', `/item/${id}/merge`)
    expect(response.status).toBe(200)
  })
})
