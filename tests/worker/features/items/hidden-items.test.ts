import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { storeItem } from '../../../kit/store-item.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'

let user: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  user = await signIn()
})

const call = async (method: string, path: string, body?: unknown) => {
  const response = await fetchApi(method, `/v0${path}`, { body, token: user.token })
  return { status: response.status, body: JSON.parse(await response.text()) }
}
const item = (name: string) => storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa', owner: user.userId, name })
const names = async (query = '') =>
  (await call('GET', `/item${query}`)).body.items.map(({ name }: { name: string }) => name).toSorted()
/** A directory with this file. */
async function directoryWith(name: string, file: string): Promise<{ id: string; file: string }> {
  const [id, part] = [await item(name), await item(file)]
  await env.DB.prepare('UPDATE items SET directory_of = id WHERE id = ?').bind(id).run()
  await env.DB.prepare('UPDATE items SET part_of = ? WHERE id = ?').bind(id, part).run()
  return { id, file: part }
}

describe('a hidden item', () => {
  it('is in no list and found by no search, but those of hidden items, until it is shown again', async () => {
    const [id] = [await item('red book'), await item('red boat')]
    expect(await call('PATCH', `/item/${id}`, { hidden: true })).toMatchObject({ status: 200, body: { hidden: true } })
    for (const query of ['', '?name=red', '?folder=none', '?status=200', '?sort=name', '?sort=status']) {
      expect([query, await names(query)]).toEqual([query, ['red boat']])
    }
    expect(await names('?hidden=true')).toEqual(['red book'])
    expect(await names('?hidden=true&name=red')).toEqual(['red book'])
    expect((await call('GET', `/item/${id}`)).body).toMatchObject({ name: 'red book', hidden: true })
    expect((await call('PATCH', `/item/${id}`, { hidden: false })).body.hidden).toBeUndefined()
    expect(await names()).toEqual(['red boat', 'red book'])
  })

  it('is counted apart', async () => {
    await item('red boat')
    await call('PATCH', `/item/${await item('red book')}`, { hidden: true })
    expect((await call('GET', '/item/counts')).body).toMatchObject({
      counts: { '200': 1 },
      total: 1,
      hidden: 1,
      bytes: 1,
    })
  })

  it('is still served', async () => {
    const id = await item('red book')
    await call('PATCH', `/item/${id}`, { hidden: true })
    expect((await fetchApi('GET', `/v0/content/${id}`)).status).toBe(200)
  })

  it('is renamed and hidden in one request', async () => {
    const id = await item('red book')
    expect((await call('PATCH', `/item/${id}`, { name: 'blue book', hidden: true })).body).toMatchObject({
      name: 'blue book',
      hidden: true,
    })
  })

  it('hides the files of a directory from searches, and cannot be one of them', async () => {
    const { id, file } = await directoryWith('almanac', 'tides.html')
    expect(await names('?name=tides')).toEqual(['tides.html'])
    expect((await call('PATCH', `/item/${file}`, { hidden: true })).status).toBe(409)
    await call('PATCH', `/item/${id}`, { hidden: true })
    expect(await names('?name=tides')).toEqual([])
    expect(await names('?name=tides&hidden=true')).toEqual(['tides.html'])
  })
})

describe('the files of a directory', () => {
  it('are listed by its id, and say what they are part of', async () => {
    const { id } = await directoryWith('almanac', 'tides.html')
    await item('other.html')
    const { body } = await call('GET', `/item?directory=${id}`)
    expect(body).toMatchObject({ total: 1, items: [{ name: 'tides.html', directory: id }] })
    expect(await names()).toEqual(['almanac', 'other.html'])
  })

  it('are those of the caller, and of nothing else', async () => {
    const { id } = await directoryWith('almanac', 'tides.html')
    expect((await call('GET', `/item?directory=${id}&name=tides`)).body.message).toMatch(/^directory must not/)
    user = await signIn()
    expect((await call('GET', `/item?directory=${id}`)).status).toBe(404)
  })
})

describe('the versions of a site', () => {
  it('are one row of a list, the newest, which says its number and whether the site shows it', async () => {
    const [one, two] = [await item('almanac'), await item('almanac')]
    const site = (await call('POST', '/site', { name: 'My almanac', item: one })).body.id
    const listed = async (query = '') => (await call('GET', `/item${query}`)).body
    const named = { id: site, name: 'My almanac' }
    expect(await listed()).toMatchObject({ total: 2 })
    expect((await call('GET', `/item/${one}`)).body.sites).toEqual([{ ...named, version: 1, shown: true }])
    await call('POST', `/site/${site}/versions`, { item: two })
    for (const query of ['', '?name=almanac', '?sort=size']) {
      expect(await listed(query)).toMatchObject({
        total: 1,
        items: [{ id: two, sites: [{ ...named, version: 2, shown: false }] }],
      })
    }
    expect((await call('GET', '/item/counts')).body.total).toBe(1)
    await call('DELETE', `/site/${site}`).catch(() => undefined)
    expect(await listed()).toMatchObject({ total: 2 })
  })

  it('are listed where another site has them as its newest', async () => {
    const [one, two] = [await item('almanac'), await item('almanac')]
    const site = (await call('POST', '/site', { name: 'a', item: one })).body.id
    await call('POST', `/site/${site}/versions`, { item: two })
    await call('POST', '/site', { name: 'b', item: one })
    expect((await call('GET', '/item')).body.total).toBe(2)
  })
})
