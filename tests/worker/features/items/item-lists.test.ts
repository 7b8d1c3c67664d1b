import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { createItems } from '../../../../worker/features/items/create-items.ts'
import { requestMerges } from '../../../../worker/features/items/merge/request-merge.ts'
import { beginMerges } from '../../../../worker/features/items/sql/move-items.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { signIn } from '../../sign-in.ts'
import { type Api, callApi, createItem, uploadItem } from './api.ts'

let api: Api
let userId: string
beforeAll(async () => {
  const caller = await signIn()
  userId = caller.userId
  api = callApi(caller.headers)
})

const fields = { name: 'a.txt', mimetype: 'text/plain', blockchain: 'Nativecoin', size: 5 }
const hello = Uint8Array.from(new TextEncoder().encode('hello'))

interface Created {
  items: { id: string; chunkSize: number; chunks: number }[]
}
interface Merged {
  items: { id: string; item?: { status: string; size: number }; code?: string; message?: string; missing?: number[] }[]
}

describe('POST /v0/item with a list', () => {
  it('begins each upload, and answers them in the order asked', async () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ ...fields, name: `${index}.txt`, size: index + 1 }))
    const response = await api.sendJson('POST', '/item', { items })
    expect(response.status).toBe(201)
    const created = (await response.json<Created>()).items
    expect(created.map(({ chunkSize }) => chunkSize)).toEqual(items.map(({ size }) => size))
    const last = await (await api.send('GET', `/item/${created[99]?.id}`)).json()
    expect(last).toMatchObject({ name: '99.txt', size: 100, status: '201 Created' })
  })

  it('puts each item into its own folder', async () => {
    const make = async (name: string) =>
      (await (await api.sendJson('POST', '/folder', { name, blockchain: 'Nativecoin' })).json<{ id: string }>()).id
    const [one, two] = [await make('one'), await make('two')]
    const items = [one, two, null].map((folder) => ({ ...fields, folder }))
    const created = (await (await api.sendJson('POST', '/item', { items })).json<Created>()).items
    const shown = await Promise.all(created.map(async ({ id }) => (await api.send('GET', `/item/${id}`)).json()))
    expect(shown).toMatchObject([{ folder: one }, { folder: two }, { folder: null }])
  })

  const refusals: [string, unknown, number, string][] = [
    ['an empty list', [], 400, 'items'],
    ['101 items', Array(101).fill(fields), 400, '100'],
    ['what is no list', { ...fields }, 400, 'items'],
    ['an entry that is no object', [fields, 5], 400, 'items[1]'],
    ['a bad name, saying which', [fields, { ...fields, name: 'a/b' }], 400, 'items[1].name'],
    ['a bad folder, saying which', [fields, { ...fields, folder: 'x' }], 400, 'items[1].folder'],
    ['a folder that is not there', [fields, { ...fields, folder: 'a'.repeat(24) }], 404, 'a'.repeat(24)],
    ['what no chain gives back, saying which', [fields, { ...fields, size: 2 ** 25 + 1 }], 422, 'items[1].size'],
  ]
  for (const [what, items, status, words] of refusals) {
    it(`refuses ${what}, and creates nothing`, async () => {
      const owner = callApi((await signIn()).headers)
      const response = await owner.sendJson('POST', '/item', { items })
      expect(response.status).toBe(status)
      expect((await response.json<{ message: string }>()).message).toContain(words)
      expect(await (await owner.send('GET', '/item')).json()).toMatchObject({ items: [] })
    })
  }

  it('creates them once, however often it is sent with one Idempotency-Key', async () => {
    const owner = callApi((await signIn()).headers)
    const body = JSON.stringify({ items: [fields, { ...fields, name: 'b.txt' }] })
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'an-order-items-0-2' }
    const first = await (await owner.send('POST', '/item', body, headers)).json<Created>()
    expect(await (await owner.send('POST', '/item', body, headers)).json()).toEqual(first)
    expect((await (await owner.send('GET', '/item')).json<Created>()).items).toHaveLength(2)
  })

  it('creates all or nothing at the edge of a quota', async () => {
    const { userId: owner } = await signIn()
    const request = { ...fields, blockchain: 'Nativecoin' as const, folder: undefined, at: '' }
    const config = readConfig(env)
    const context = { ...config, db: env.DB, quotas: { ...config.quotas, unpaidItems: 3 } }
    await createItems(context, owner, [request, request], 0)
    const tooMany = createItems(context, owner, [request, request], 0)
    await expect(tooMany).rejects.toMatchObject({ code: 'quota_exceeded', details: { limit: 3, used: 2 } })
    expect(await createItems(context, owner, [request], 0)).toHaveLength(1)
  })
})

describe('POST /v0/item/merge', () => {
  it('answers each item for itself, in the order asked', async () => {
    const whole = [await uploadItem(api, hello), await uploadItem(api, hello, { blockchain: 'IPFS' })]
    const { id: unfinished } = await createItem(api, { size: 2 ** 20 + 1 })
    const other = callApi((await signIn()).headers)
    const foreign = await uploadItem(other, hello)
    const ids = [whole[0], unfinished, foreign, whole[1]]
    const response = await api.sendJson('POST', '/item/merge', { items: ids })
    expect(response.status).toBe(200)
    const { items } = await response.json<Merged>()
    expect(items).toMatchObject([
      { id: whole[0], item: { status: '402 Payment Required' } },
      { id: unfinished, code: 'chunks_missing', missing: [0, 1] },
      { id: foreign, code: 'not_found' },
      { id: whole[1], item: { status: '402 Payment Required' } },
    ])
    // Asked again, what is merged is answered as it is.
    const again = await (await api.sendJson('POST', '/item/merge', { items: ids })).json<Merged>()
    expect(again).toEqual({ items })
  })

  it('merges more items than an account may have under way at once', async () => {
    const ids: string[] = []
    for (let n = 0; n < 12; n++) ids.push(await uploadItem(api, hello, { blockchain: 'IPFS', name: `${n}` }))
    const { items } = await (await api.sendJson('POST', '/item/merge', { items: ids })).json<Merged>()
    expect(items.map(({ item }) => item?.status)).toEqual(Array(12).fill('402 Payment Required'))
  })

  it('merges small items of a chain without waking the merger of each', async () => {
    const ids: string[] = []
    for (let n = 0; n < 6; n++) ids.push(await uploadItem(api, hello, { name: `${n}` }))
    const woken: string[] = []
    const getByName = (id: string) => {
      woken.push(id)
      return env.ITEM_MERGER.getByName(id)
    }
    const answers = await requestMerges({ ...env, ITEM_MERGER: { getByName } }, readConfig(env), userId, ids, Date.now)
    expect(answers.map((answer) => 'item' in answer && answer.item.state)).toEqual(Array(6).fill('unpaid'))
    expect(woken).toEqual([])
  })

  it('lets small items wait while as many others are merged as the account may have', async () => {
    const { userId: owner, headers } = await signIn()
    const own = callApi(headers)
    const [first = '', ...others] = [
      await uploadItem(own, hello),
      await uploadItem(own, hello),
      await uploadItem(own, hello),
    ]
    const config = { ...readConfig(env), quotas: { ...readConfig(env).quotas, merges: 2 } }
    await beginMerges(env.DB, owner, [first], 2, Date.now())
    const answers = await requestMerges({ ...env, ITEM_MERGER: env.ITEM_MERGER }, config, owner, others, Date.now)
    expect(answers.map((answer) => 'item' in answer && answer.item.state)).toContain('unpaid')
    const again = await requestMerges(
      { ...env, ITEM_MERGER: env.ITEM_MERGER },
      config,
      owner,
      [first, ...others],
      Date.now,
    )
    expect(again.map((answer) => 'item' in answer && answer.item.state)).toEqual(Array(3).fill('unpaid'))
  })

  it('leaves for the next call what it has no time to begin', async () => {
    const ids = [await uploadItem(api, hello), await uploadItem(api, hello)]
    let time = 0
    const answers = await requestMerges(
      { ...env, ITEM_MERGER: env.ITEM_MERGER },
      { ...readConfig(env), quotas: { ...readConfig(env).quotas, merges: 1 } },
      userId,
      ids,
      () => (time += 10_000),
    )
    expect(answers).toMatchObject([{ item: { state: 'unpaid' } }, { item: { state: 'uploading' } }])
  })

  for (const [what, items] of [
    ['no list', 'x'],
    ['an empty list', []],
    ['what is no id', ['x']],
    ['an id twice', ['a'.repeat(24), 'a'.repeat(24)]],
    ['101 ids', Array.from({ length: 101 }, (_, index) => index.toString(16).padStart(24, '0'))],
  ] as const) {
    it(`refuses ${what}`, async () => {
      expect((await api.sendJson('POST', '/item/merge', { items })).status).toBe(400)
    })
  }
})
