import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { itemPage } from '../../../../worker/features/items/item-page.ts'
import { readItemQuery } from '../../../../worker/features/items/item-query.ts'
import { parseAs } from '../../../../worker/platform/http/read-request.ts'
import { countRows } from '../../count-rows.ts'
import { signIn } from '../../sign-in.ts'
import { type Api, callApi, createItem } from './api.ts'

interface List {
  items: { id: string; name: string; path: string | null; files: number | null }[]
  page: number | null
  pages: number | null
  total: number | null
  cursor?: string
}

async function newAccount(role: 'user' | 'admin' = 'user') {
  const { headers, userId } = await signIn(role)
  return { api: callApi(headers), userId }
}

const list = async (api: Api, query: string) => await (await api.send('GET', `/item${query}`)).json<List>()
const namesOf = async (api: Api, query: string) => (await list(api, query)).items.map(({ name }) => name)

async function makeFolder(api: Api, name: string, parent: string | null = null): Promise<string> {
  const response = await api.sendJson('POST', '/folder', { name, blockchain: 'Nativecoin', parent })
  return (await response.json<{ id: string }>()).id
}

/** Rows of items, many at once. */
async function insertMany(userId: string, count: number): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO items (id, user_id, name, mimetype, blockchain, size, chunk_size, chunks, created_at, updated_at)
     WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ?1)
     SELECT printf('%08x%016x', 1700000000, abs(random())), ?2, 'Holiday ' || (x * 7919 % 1000) || '_beach' || x || '.png',
       'image/png', 'Bitcoin', x * 7919 % 100003, 1, 1, 1700000000000 + x, 1 FROM c`,
  )
    .bind(count, userId)
    .run()
}

describe('GET /v0/item', () => {
  it('finds names by the beginnings of their words, all of them, in any order', async () => {
    const { api } = await newAccount()
    for (const name of ['Tide table 2026.pdf', 'almanac-tides_north.png', 'étude (finale).mid', 'untidy.txt']) {
      await createItem(api, { name })
    }
    expect(await namesOf(api, '?name=tid&sort=name')).toEqual(['almanac-tides_north.png', 'Tide table 2026.pdf'])
    expect(await namesOf(api, '?name=NOR%20alm')).toEqual(['almanac-tides_north.png'])
    expect(await namesOf(api, '?name=Etu')).toEqual(['étude (finale).mid'])
    expect(await namesOf(api, '?name=fin')).toEqual(['étude (finale).mid'])
    expect(await namesOf(api, '?name=pdf')).toEqual(['Tide table 2026.pdf'])
    expect(await namesOf(api, '?name=tid%20pdf%20north')).toEqual([])
    expect(await namesOf(api, '?name=able')).toEqual([])
    expect(await namesOf(api, '?name=%E2%98%85')).toEqual([])
    expect(await namesOf(api, '?name=%20')).toHaveLength(4)
  })

  it('takes what the query language of the index knows as text', async () => {
    const { api } = await newAccount()
    await createItem(api, { name: 'a OR b NOT "c*" NEAR(d).txt' })
    await createItem(api, { name: 'other.txt' })
    for (const query of ['a OR', 'NOT', '"c*', 'NEAR(d', 'words : a', 'a* OR other', '^a']) {
      const found = await namesOf(api, `?name=${encodeURIComponent(query)}`)
      expect(found).not.toContain('other.txt')
    }
    expect(await namesOf(api, `?name=${encodeURIComponent('"c*" NEAR(')}`)).toEqual(['a OR b NOT "c*" NEAR(d).txt'])
  })

  it('R30: takes a NUL, and what else no name has, for the end of a word', async () => {
    const { api } = await newAccount()
    await createItem(api, { name: 'tide table.txt' })
    for (const query of ['tide\0tab', 'ti\0', '\0tide', 'tab\u001btide\u0085']) {
      expect(await namesOf(api, `?name=${encodeURIComponent(query)}`)).toEqual(['tide table.txt'])
    }
  })

  it("finds nothing of somebody else's", async () => {
    const mine = await newAccount()
    const other = await newAccount('admin')
    const folder = await makeFolder(mine.api, 'mine')
    await createItem(mine.api, { name: 'secret.txt', folder })
    expect(await list(other.api, '?name=secret')).toEqual({ items: [], page: 1, pages: 0, total: 0 })
    expect((await other.api.send('GET', `/item?folder=${folder}`)).status).toBe(404)
    expect((await other.api.send('GET', `/item?folder=${folder}&name=secret`)).status).toBe(404)
  })

  it('forgets the words of what was removed', async () => {
    const { api } = await newAccount()
    const { id } = await createItem(api, { name: 'gone.txt' })
    await api.send('DELETE', `/item/${id}`)
    expect(await namesOf(api, '?name=gone')).toEqual([])
  })

  it('lists what is in a folder, with its path, or in none', async () => {
    const { api } = await newAccount()
    const outer = await makeFolder(api, 'almanac')
    const inner = await makeFolder(api, '2026', outer)
    const { id } = await createItem(api, { name: 'in.txt', folder: inner })
    await createItem(api, { name: 'out.txt' })
    expect(await list(api, `?folder=${inner}`)).toMatchObject({
      items: [{ id, folder: inner, path: 'almanac/2026', files: null }],
      page: 1,
      pages: 1,
      total: 1,
    })
    expect(await list(api, '?folder=none')).toMatchObject({ items: [{ name: 'out.txt', path: null }], total: 1 })
    expect((await list(api, `?folder=${outer}`)).items).toEqual([])
    expect(await (await api.send('GET', `/item/${id}`)).json()).toMatchObject({ path: 'almanac/2026' })
    expect(await namesOf(api, `?folder=${inner}&name=txt`)).toEqual(['in.txt'])
  })

  it('lists what is stored in one place, or of one kind, in lists and in searches, with its state', async () => {
    const { api } = await newAccount()
    for (const [name, mimetype, blockchain] of [
      ['tides a.png', 'IMAGE/png', 'IPFS'],
      ['tides b.mp4', 'video/mp4', 'IPFS'],
      ['tides c.ogg', 'audio/ogg', 'Bitcoin'],
      ['tides d.txt', 'text/plain; charset=utf-8', 'Bitcoin'],
      ['tides e.json', 'application/json', 'Nativecoin'],
      ['tides f.html', 'text/html; charset=utf-8', 'Nativecoin'],
      ['tides g.pdf', 'application/pdf', 'Nativecoin'],
    ] as const)
      await createItem(api, { name, mimetype, blockchain })
    const letters = async (query: string) =>
      (await namesOf(api, `?sort=name&${query}`)).map((name) => name.charAt(6)).join('')
    const kinds = ['picture', 'film', 'sound', 'text', 'website', 'other']
    expect(await Promise.all(kinds.map((kind) => letters(`kind=${kind}`)))).toEqual(['a', 'b', 'c', 'de', 'f', 'g'])
    expect(await Promise.all(kinds.map((kind) => letters(`name=tides&kind=${kind}`)))).toEqual([
      'a',
      'b',
      'c',
      'de',
      'f',
      'g',
    ])
    const all = '&folder=none&status=201'
    expect(await letters(`blockchain=IPFS${all}`)).toBe('ab')
    expect(await letters(`blockchain=Nativecoin&kind=other${all}`)).toBe('g')
    expect(await letters('name=tides&blockchain=Bitcoin')).toBe('cd')
    expect((await list(api, '?blockchain=IPFS')).total).toBe(2)
    expect((await api.send('GET', '/item?kind=song')).status).toBe(400)
  })

  it('gives any page by its number, with how many there are', async () => {
    const { api, userId } = await newAccount()
    await insertMany(userId, 730)
    const last = await list(api, '?page=15&sort=size')
    expect(last).toMatchObject({ page: 15, pages: 15, total: 730 })
    expect(last.items).toHaveLength(30)
    expect(last.cursor).toBeUndefined()
    const seen = new Set<string>()
    for (let page = 1; page <= 15; page++) {
      for (const { id } of (await list(api, `?page=${page}&sort=size`)).items) seen.add(id)
    }
    expect(seen.size).toBe(730)
    expect(await list(api, '?page=16')).toEqual({ items: [], page: 16, pages: 15, total: 730 })
    expect(await list(api, '?name=beach&page=15&sort=-name')).toMatchObject({ page: 15, pages: 15, total: 730 })
  })

  it('says that it does not know how many there are where more match than it looks at', async () => {
    const { api, userId } = await newAccount()
    await insertMany(userId, 2001)
    expect(await list(api, '?name=hol&page=40')).toMatchObject({ pages: 40, total: null })
    expect(await list(api, '?name=hol%20beach77')).toMatchObject({ total: 11 })
  })

  it.each([
    'sort=date',
    'page=0',
    'page=1.5',
    'page=1&cursor=1700000000000-0123456789abcdef01234567',
    'folder=x',
    'name=a&cursor=1700000000000-0123456789abcdef01234567',
    'sort=name&cursor=1700000000000-0123456789abcdef01234567',
    'sort=name&cursor=WzFd',
    `name=${'a'.repeat(201)}`,
  ])('refuses ?%s, naming the field', async (query) => {
    const { api } = await newAccount()
    const response = await api.send('GET', `/item?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_field' })
  })
})

describe('GET /v0/item/counts', () => {
  it('counts the items of an account by state', async () => {
    const { api, userId } = await newAccount()
    const none = { '200': 0, '201': 0, '202': 0, '402': 0, '409': 0 }
    expect(await (await api.send('GET', '/item/counts')).json()).toEqual({
      counts: none,
      total: 0,
      hidden: 0,
      bytes: 0,
    })
    await createItem(api, { size: 7 })
    const { id } = await createItem(api, { size: 5 })
    await env.DB.prepare('UPDATE items SET status = 402 WHERE id = ? AND user_id = ?').bind(id, userId).run()
    expect(await (await api.send('GET', '/item/counts')).json()).toEqual({
      counts: { ...none, '201': 1, '402': 1 },
      total: 2,
      hidden: 0,
      bytes: 12,
    })
  })
})

/** The whole of it takes a while: `npm run test:large`. */
const MANY = env.TEST_LARGE ? 100_000 : 5000
/** Rows that are read of an item of the page itself: its folders, its txids, the sites that show it. */
const ROWS_OF_ONE = 10

it(`reads each of ${MANY} items at most three times for a page of 50, the first or any other`, {
  timeout: 300_000,
}, async () => {
  const { userId } = await newAccount()
  for (let made = 0; made < MANY; made += 5000) await insertMany(userId, 5000)
  const queries = ['', 'sort=name', 'sort=-size&page=51', 'folder=none&status=201&sort=status', 'name=beach7']
  for (const query of [...queries, `page=${MANY / 100}`]) {
    const { db, rows } = countRows(env.DB)
    const wanted = await parseAs(
      Object.fromEntries(new URLSearchParams(query)),
      () => import('../../../../contract/item.ts'),
      'ItemQuery',
    )
    expect((await itemPage(db, { userId, permissions: [] }, readItemQuery(wanted))).items).toHaveLength(50)
    expect(rows().read, query).toBeLessThan(3 * MANY + 50 * ROWS_OF_ONE)
  }
})
