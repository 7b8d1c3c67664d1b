import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { objectId } from '../../../../../protocol/object-id.ts'
import { storeItem } from '../../../../kit/store-item.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { add, runSql } from '../../../rows.ts'
import { signIn } from '../../../sign-in.ts'

const START = 1_800_000_000_000

let user: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  user = await signIn()
})
afterEach(() => void vi.useRealTimers())

const call = async (method: string, path: string, body?: unknown, who = user) => {
  const response = await fetchApi(method, `/v0/site${path}`, { body, token: who.token })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
const item = (fields: { owner?: string; status?: number; name?: string } = {}) =>
  storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa', owner: user.userId, ...fields })
const make = async (name = 'The almanac', first?: string): Promise<string> =>
  (await call('POST', '', { name, ...(first && { item: first }) })).body.id
const deploy = async (site: string, id: string) => (await call('POST', `/${site}/versions`, { item: id })).body

describe('a site', () => {
  it('begins without a version, on a host of its own', async () => {
    const { status, body } = await call('POST', '', { name: 'The almanac' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'The almanac',
      host: `${body.id}.storage.example`,
      url: `https://${body.id}.storage.example/`,
      address: null,
      addressUrl: null,
      version: null,
      item: null,
      versions: 0,
      waiting: null,
      createdAt: START / 1000,
    })
    expect(await call('GET', `/${body.id}`)).toEqual({ status: 200, body })
  })

  it('is found by its name, exactly, and can be renamed', async () => {
    const [one, two] = [await make('almanac'), await make('almanac')]
    await make('almanac 2')
    await make('Almanac')
    const found = async (name: string, who = user) =>
      (await call('GET', `?name=${encodeURIComponent(name)}`, undefined, who)).body.sites.map(
        ({ id }: { id: string }) => id,
      )
    expect((await found('almanac')).toSorted()).toEqual([one, two].toSorted())
    expect(await call('PATCH', `/${two}`, { name: '50 % & more' })).toMatchObject({
      status: 200,
      body: { id: two, name: '50 % & more' },
    })
    expect(await found('almanac')).toEqual([one])
    expect(await found('50 % & more')).toEqual([two])
    expect(await found('')).toEqual([])
    const other = await signIn()
    expect(await found('almanac', other)).toEqual([])
    expect((await call('PATCH', `/${one}`, { name: 'x' }, other)).status).toBe(404)
    expect((await call('PATCH', `/${one}`, {})).status).toBe(400)
  })

  it('begins with an item as its first version, current at once', async () => {
    const first = await item()
    const { body } = await call('POST', '', { name: 'The almanac', item: first })
    expect(body).toMatchObject({ version: 1, item: first, versions: 1 })
    const { body: list } = await call('GET', `/${body.id}/versions`)
    expect(list.versions[0].periods).toEqual([{ from: START / 1000, until: null, by: 'Ada Lovelace' }])
  })

  it.each([
    ['of somebody else', { owner: 'somebody' }, 404, 'not_found'],
    ['that is not stored', { status: 402 }, 409, 'item_not_stored'],
    ['that has stopped', { status: 409 }, 409, 'item_not_stored'],
  ])('S1: takes no item %s, as its first version or as a later one', async (_, fields, status, code) => {
    const id = await item(fields)
    expect(await call('POST', '', { name: 'x', item: id })).toMatchObject({ status, body: { code } })
    const site = await make()
    expect(await call('POST', `/${site}/versions`, { item: id })).toMatchObject({ status, body: { code } })
    expect((await call('GET', '')).body.sites).toHaveLength(1)
  })

  it('takes no file of a directory: the directory is the site', async () => {
    const [file, directory] = [await item(), await item()]
    await runSql('UPDATE items SET part_of = ? WHERE id = ?', directory, file)
    expect(await call('POST', `/${await make()}/versions`, { item: file })).toMatchObject({
      status: 409,
      body: { code: 'item_in_directory', message: expect.stringContaining(directory) },
    })
  })

  it('gains versions that change nothing until one is made current', async () => {
    const [first, second] = [await item(), await item({ name: 'March' })]
    const site = await make('The almanac', first)
    const { status, body } = await call('POST', `/${site}/versions`, { item: second, note: 'What is new' })
    expect(status).toBe(201)
    expect(body).toEqual({
      number: 2,
      item: second,
      name: 'March',
      note: 'What is new',
      blockchain: 'IPFS',
      size: 1,
      status: '200 OK',
      current: null,
      url: `https://${second}.storage.example/`,
      createdAt: START / 1000,
      periods: [],
    })
    expect((await call('GET', `/${site}`)).body).toMatchObject({ version: 1, item: first, versions: 2 })
  })

  it('has an item as a version once, however often it is asked to', async () => {
    const [site, id] = [await make(), await item()]
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('POST', `/${site}/versions`, { item: id })))
    expect(answers.map(({ body }) => body.number)).toEqual([1, 1, 1, 1, 1, 1])
    expect((await call('POST', `/${site}/versions`, { item: id })).status).toBe(200)
    expect((await call('GET', `/${site}`)).body.versions).toBe(1)
  })

  it('keeps what was current when, and by whom', async () => {
    const ids = [await item(), await item()]
    const site = await make('The almanac', ids[0])
    await deploy(site, ids[1] ?? '')
    const times = [2, 1, 1, 2].map((version, turn) => ({ version, at: START + (turn + 1) * 60_000 }))
    for (const { version, at } of times) {
      vi.setSystemTime(at)
      expect((await call('PUT', `/${site}/current`, { version })).body).toMatchObject({ version })
    }
    const { versions } = (await call('GET', `/${site}/versions`)).body
    const [from, minute, by] = [START / 1000, 60, 'Ada Lovelace']
    expect(versions.map(({ number, periods }: { number: number; periods: unknown }) => [number, periods])).toEqual([
      [
        2,
        [
          { from: from + 4 * minute, until: null, by },
          { from: from + minute, until: from + 2 * minute, by },
        ],
      ],
      [
        1,
        [
          // Made current twice in a row: the second time nothing changed.
          { from: from + 2 * minute, until: from + 4 * minute, by },
          { from, until: from + minute, by },
        ],
      ],
    ])
  })

  it('has one current version after any switches at once, and periods that follow each other', async () => {
    const site = await make()
    for (let count = 0; count < 4; count++) await deploy(site, await item())
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 }), async (switches) => {
        await Promise.all(switches.map((version) => call('PUT', `/${site}/current`, { version })))
        const { version } = (await call('GET', `/${site}`)).body
        const results = await runSql(
          'SELECT number, until_at AS until FROM site_periods WHERE site_id = ? ORDER BY switch DESC',
          site,
        )
        expect(results[0]).toEqual({ number: version, until: null })
        expect(results.slice(1).every(({ until }) => until !== null)).toBe(true)
        expect(results.every(({ number }, index) => number !== results[index + 1]?.number)).toBe(true)
      }),
      { numRuns: 8 },
    )
  })

  it('has its versions and its account’s sites in pages, newest first', async () => {
    const site = await make()
    const ids = await Promise.all(Array.from({ length: 53 }, () => item()))
    const versions = ids.map((item_id, index) => ({ site_id: site, number: index + 1, item_id, created_at: 0 }))
    await add('site_versions', ...versions)
    const first = (await call('GET', `/${site}/versions`)).body
    const rest = (await call('GET', `/${site}/versions?cursor=${first.cursor}`)).body
    const numbers = [...first.versions, ...rest.versions].map(({ number }) => number)
    expect(numbers).toEqual(Array.from({ length: 53 }, (_, index) => 53 - index))
    expect(rest).not.toHaveProperty('cursor')
    const sites = Array.from({ length: 51 }, (_, n) => ({ name: `site ${n}`, created_at: START + 1000 * n + 1 }))
    await add('sites', ...sites.map((row) => ({ ...row, id: objectId(START), user_id: user.userId })))
    const page = (await call('GET', '')).body
    expect(page.sites.map(({ name }: { name: string }) => name).slice(0, 2)).toEqual(['site 50', 'site 49'])
    expect((await call('GET', `?cursor=${page.cursor}`)).body.sites).toHaveLength(2)
  })

  it('is deleted with its versions, and not the items', async () => {
    const id = await item()
    const site = await make('The almanac', id)
    expect((await call('DELETE', `/${site}`)).status).toBe(204)
    expect((await call('DELETE', `/${site}`)).status).toBe(404)
    expect((await call('GET', `/${site}/versions`)).status).toBe(404)
    expect((await fetchApi('GET', `/v0/item/${id}`, { token: user.token })).status).toBe(200)
  })

  it('S2: is nobody else’s to read, deploy to, switch or delete', async () => {
    const id = await item()
    const site = await make('The almanac', id)
    const other = await signIn()
    const theirs = await item({ owner: other.userId })
    const asked = [
      await call('GET', `/${site}`, undefined, other),
      await call('GET', `/${site}/versions`, undefined, other),
      await call('POST', `/${site}/versions`, { item: theirs }, other),
      await call('PUT', `/${site}/current`, { version: 1 }, other),
      await call('DELETE', `/${site}`, undefined, other),
    ]
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect((await call('GET', '', undefined, other)).body.sites).toEqual([])
    expect((await call('GET', `/${site}`)).body).toMatchObject({ version: 1, versions: 1 })
  })

  it.each([
    ['POST', '', { name: '' }, 'name'],
    ['POST', '', { name: 'a/b' }, 'name'],
    ['POST', '', { name: 'a', item: 'x' }, 'item'],
    ['POST', '/SITE/versions', { item: 7 }, 'item'],
    ['POST', '/SITE/versions', { item: 'ab'.repeat(12), note: 'a\nb' }, 'note'],
    ['POST', '/SITE/versions', { item: 'ab'.repeat(12), note: 'a'.repeat(501) }, 'note'],
    ['PUT', '/SITE/current', { version: '1' }, 'version'],
    ['PUT', '/SITE/current', { version: 0 }, 'version'],
    ['PUT', '/SITE/current', {}, 'version'],
    ['PUT', '/SITE/current', { version: 1, confirm: 'yes' }, 'confirm'],
    ['POST', '', { name: 'a', confirm: 1 }, 'confirm'],
    ['GET', '?cursor=x', undefined, 'cursor'],
    ['GET', '/SITE/versions?cursor=-1', undefined, 'cursor'],
  ])('refuses %s %s of %j with a sentence about %s', async (method, path, body, field) => {
    const { status, body: answer } = await call(method, path.replace('SITE', await make()), body)
    expect([status, answer.code]).toEqual([400, 'invalid_field'])
    expect(answer.message).toMatch(new RegExp(`^${field} `))
  })

  it('has no version that was never added: 404', async () => {
    expect((await call('PUT', `/${await make()}/current`, { version: 1 })).status).toBe(404)
  })

  it('is made once by a request with an Idempotency-Key, however often it is sent', async () => {
    const send = () =>
      fetchApi('POST', '/v0/site', {
        body: { name: 'x' },
        token: user.token,
        headers: { 'Idempotency-Key': 'deploy-1' },
      })
    const first = await (await send()).json()
    expect(await (await send()).json()).toEqual(first)
    expect((await call('GET', '')).body.sites).toEqual([first])
  })

  it('S3: is one of at most 100 of an account', async () => {
    const now = Date.now()
    const insert = env.DB.prepare("INSERT INTO sites (id, user_id, name, created_at) VALUES (?, ?, 'x', 0)")
    await env.DB.batch(Array.from({ length: 100 }, () => insert.bind(objectId(now), user.userId)))
    const { status, body } = await call('POST', '', { name: 'x' })
    expect([status, body]).toMatchObject([409, { code: 'quota_exceeded', quota: 'sites', limit: 100, used: 100 }])
  })
})

describe('the ids of sites and items', () => {
  it('S4: are one space: no site has the id of an item, and no item that of a site', async () => {
    const [site, id] = [await make(), await item()]
    await expect(add('sites', { id })).rejects.toThrow(/constraint failed/)
    await expect(add('items', { id: site })).rejects.toThrow(/constraint failed/)
  })

  it('S4: are not taken for each other: a site is no content and no item', async () => {
    const site = await make('The almanac', await item())
    for (const path of [`/v0/content/${site}`, `/v0/item/${site}`, `/v0/item/${site}/source`]) {
      expect([path, (await fetchApi('GET', path, { token: user.token })).status]).toEqual([path, 404])
    }
  })
})
