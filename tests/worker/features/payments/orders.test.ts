import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { add, addMany, count } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi } from '../items/api.ts'
import { askPayment } from './pay-for-items.ts'

const chain = useDevnet()

let api: Api
beforeEach(async () => {
  api = callApi((await signIn()).headers)
})

interface Order {
  id: string
  name: string
  blockchain: string
  createdAt: number
  counts: Record<string, number>
  payments: { address: string | null; state: string; amount: number; paidIn: string; expiresAt: number }[]
}

const json = async <T>(method: string, path: string, body?: unknown, caller = api): Promise<T & { code?: string }> => {
  const response = body === undefined ? await caller.send(method, path) : await caller.sendJson(method, path, body)
  const text = await response.text()
  return { ...(text === '' ? {} : JSON.parse(text)), httpStatus: response.status }
}
const orders = async (caller = api) => (await json<{ orders: Order[] }>('GET', '/order', undefined, caller)).orders
const namesIn = async (order: string, query = '') =>
  (await json<{ items: { name: string }[] }>('GET', `/item?order=${order}${query}`)).items.map(({ name }) => name)

async function putFile(fields: { name: string; blockchain: string; order?: string; folder?: string }): Promise<string> {
  const content = Uint8Array.from(Buffer.from(crypto.randomUUID()))
  const file = { mimetype: 'text/plain', size: content.length, ...fields }
  const { id } = await json<{ id: string }>('POST', '/item', file)
  await api.send('PUT', `/item/${id}/chunk/0`, content)
  return id
}

async function mergedFile(name: string, order: string): Promise<string> {
  const id = await putFile({ name, blockchain: 'Bitcoin', order })
  await api.send('POST', `/item/${id}/merge`)
  return id
}

const none = { '200': 0, '201': 0, '202': 0, '402': 0, '409': 0 }

describe('GET /v0/order', () => {
  it('lists what was made with one id: by its first name, with the states of its files and its payments', async () => {
    const order = crypto.randomUUID()
    const first = await mergedFile('first.txt', order)
    await putFile({ name: 'second.txt', blockchain: 'Bitcoin', order })
    await putFile({ name: 'of no order', blockchain: 'Bitcoin' })
    const { address, amount, expiresAt } = await askPayment(api, [first], 'Bitcoin')
    const expected = {
      id: order,
      name: 'first.txt',
      blockchain: 'Bitcoin',
      createdAt: expect.any(Number),
      counts: { ...none, '201': 1, '402': 1 },
      payments: [{ address, state: 'open', amount, paidIn: 'Bitcoin', expiresAt }],
    }
    expect(await orders()).toEqual([expected])
    expect(await json('GET', `/order/${order}`)).toMatchObject(expected)
    expect((await namesIn(order)).toSorted()).toEqual(['first.txt', 'second.txt'])
    expect(await orders(callApi((await signIn()).headers))).toEqual([])
  })

  it('lists no order of which nothing is left, and a cancelled request keeps the name of its file', async () => {
    const [cancelled, deleted] = [crypto.randomUUID(), crypto.randomUUID()]
    const first = await mergedFile('first.txt', cancelled)
    const { address } = await askPayment(api, [first], 'Bitcoin')
    const second = await mergedFile('second.txt', deleted)
    expect(await orders()).toHaveLength(2)
    expect((await api.sendJson('DELETE', '/payment', { address })).status).toBe(200)
    expect((await api.send('DELETE', `/item/${second}`)).status).toBe(204)
    expect(await orders()).toEqual([])
    for (const id of [cancelled, deleted]) expect(await json('GET', `/order/${id}`)).toMatchObject({ httpStatus: 404 })
    // The sweep deletes the row of the item.
    await env.DB.prepare('DELETE FROM items WHERE id = ?').bind(first).run()
    expect(await json('GET', `/payment?address=${address}`)).toMatchObject({ names: ['first.txt'], state: 'cancelled' })
  })

  it('lists an order whose files were made together with others of no order', async () => {
    const [order, file] = [crypto.randomUUID(), { mimetype: 'text/plain', size: 1, blockchain: 'Bitcoin' }]
    const items = [
      { ...file, name: 'of no order' },
      { ...file, name: 'in an order', order },
    ]
    expect(await json('POST', '/item', { items })).toMatchObject({ httpStatus: 201 })
    expect(await orders()).toMatchObject([{ id: order, counts: { '201': 1 } }])
  })

  it('has the folder’s name, and the files of the merged folder beside it, in its state', async () => {
    const order = crypto.randomUUID()
    const { id: folder } = await json<{ id: string }>('POST', '/folder', { name: 'site', blockchain: 'IPFS', order })
    await putFile({ name: 'index.html', blockchain: 'IPFS', order, folder })
    await putFile({ name: 'a.css', blockchain: 'IPFS', order, folder })
    expect(await orders()).toMatchObject([{ name: 'site', counts: { ...none, '201': 2 } }])
    const { id } = await json<{ id: string }>('POST', `/folder/${folder}/merge`, {})
    expect(await namesIn(order, '&sort=name')).toEqual(['a.css', 'index.html', 'site'])
    await env.DB.prepare('UPDATE items SET status = 202 WHERE id = ?').bind(id).run()
    expect(await orders()).toMatchObject([{ counts: { ...none, '202': 2 } }])
    const { items } = await json<{ items: { status: string }[] }>('GET', `/item?order=${order}`)
    expect(items.map(({ status }) => status)).toEqual(Array(3).fill('202 Accepted'))
  })

  it('takes the order of an upload by tus', async () => {
    const order = crypto.randomUUID()
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const metadata = Object.entries({ filename: 'a.txt', blockchain: 'Bitcoin', order })
    const made = await api.send('POST', '/upload', undefined, {
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '5',
      'Upload-Metadata': metadata.map(([key, value]) => `${key} ${base64(value)}`).join(),
    })
    expect(made.status).toBe(201)
    expect(await namesIn(order)).toEqual(['a.txt'])
  })

  it('goes on behind a page of 20, the newest first', async () => {
    const { userId, headers } = await signIn()
    api = callApi(headers)
    for (let n = 0; n < 22; n++) {
      const id = `00000000-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`
      await add('orders', { user_id: userId, id, name: `order ${n}`, blockchain: 'Bitcoin', created_at: n })
    }
    const first = await json<{ orders: Order[]; cursor: string }>('GET', '/order')
    const second = await json<{ orders: Order[]; cursor?: string }>('GET', `/order?cursor=${first.cursor}`)
    expect(first.orders.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, n) => `order ${21 - n}`))
    expect(second.orders.map(({ name }) => name)).toEqual(['order 1', 'order 0'])
    expect(second.cursor).toBeUndefined()
  })

  it('refuses what is no UUID, another target in one order, and a search in an order', async () => {
    const order = crypto.randomUUID()
    const file = { name: 'a', mimetype: 'text/plain', blockchain: 'Bitcoin', size: 1 }
    expect(await json('POST', '/item', { ...file, order: 'x' })).toMatchObject({ code: 'invalid_field' })
    await json('POST', '/item', { ...file, order })
    const other = { ...file, blockchain: 'IPFS', order }
    expect(await json('POST', '/item', other)).toMatchObject({ httpStatus: 409, code: 'target_differs' })
    expect(await json('POST', '/folder', { name: 'a', blockchain: 'IPFS', order })).toMatchObject({
      code: 'target_differs',
    })
    expect(await json('GET', `/item?order=${order}&name=a`)).toMatchObject({ code: 'invalid_field' })
    expect(await json('GET', `/item?order=${order}&folder=none`)).toMatchObject({ code: 'invalid_field' })
  })
})

describe('DELETE /v0/order/<id>', () => {
  it('removes its files, folders and requests, and the order', async () => {
    const order = crypto.randomUUID()
    const { id: top } = await json<{ id: string }>('POST', '/folder', { name: 'top', blockchain: 'Bitcoin', order })
    const inner = { name: 'inner', blockchain: 'Bitcoin', order, parent: top }
    const { id: folder } = await json<{ id: string }>('POST', '/folder', inner)
    await putFile({ name: 'in', blockchain: 'Bitcoin', order, folder })
    const merged = await mergedFile('merged', order)
    const other = await mergedFile('other', crypto.randomUUID())
    const { address } = await askPayment(api, [merged], 'Bitcoin')
    const theirs = callApi((await signIn()).headers)
    expect(await json('DELETE', `/order/${order}`, undefined, theirs)).toMatchObject({ httpStatus: 404 })
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 204 })
    expect((await orders()).map(({ name }) => name)).toEqual(['other'])
    expect((await api.send('GET', `/item/${merged}`)).status).toBe(404)
    expect((await api.send('GET', `/item/${other}`)).status).toBe(200)
    expect((await api.send('GET', `/folder/${top}`)).status).toBe(404)
    expect(await json('GET', `/payment?address=${address}`)).toMatchObject({ state: 'cancelled' })
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 404 })
  })

  it('leaves the order that another account made with the same id, whose files were not counted in it', async () => {
    const order = crypto.randomUUID()
    const theirs = callApi((await signIn()).headers)
    const file = { name: 'a', mimetype: 'text/plain', size: 1, blockchain: 'Bitcoin', order }
    for (const caller of [api, theirs]) await json('POST', '/item', file, caller)
    expect(await orders()).toMatchObject([{ counts: { ...none, '201': 1 } }])
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 204 })
    expect(await orders()).toEqual([])
    expect(await orders(theirs)).toMatchObject([{ id: order, counts: { ...none, '201': 1 } }])
  })

  it('removes a merged folder with its files', async () => {
    const order = crypto.randomUUID()
    const { id: folder } = await json<{ id: string }>('POST', '/folder', { name: 'site', blockchain: 'IPFS', order })
    const file = await putFile({ name: 'index.html', blockchain: 'IPFS', order, folder })
    const { id } = await json<{ id: string }>('POST', `/folder/${folder}/merge`, {})
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 204 })
    for (const path of [`/item/${id}`, `/item/${file}`, `/folder/${folder}`, `/order/${order}`]) {
      expect([path, (await api.send('GET', path)).status]).toEqual([path, 404])
    }
  })

  it('leaves a folder that a file of another order was moved into, and the order with it', async () => {
    const order = crypto.randomUUID()
    const { id: folder } = await json<{ id: string }>('POST', '/folder', { name: 'kept', blockchain: 'IPFS', order })
    await putFile({ name: 'gone', blockchain: 'IPFS', order, folder })
    const other = await putFile({ name: 'other', blockchain: 'IPFS', order: crypto.randomUUID() })
    expect(await json('PATCH', `/item/${other}`, { folder })).toMatchObject({ httpStatus: 200 })
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 204 })
    expect((await api.send('GET', `/folder/${folder}`)).status).toBe(200)
    expect((await api.send('GET', `/order/${order}`)).status).toBe(200)
    // Nothing of it is paid: there is only nothing left to remove.
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 204 })
  })

  it('409: once money was seen for it, and then removes nothing', async () => {
    const order = crypto.randomUUID()
    const [one, two] = [await mergedFile('one', order), await mergedFile('two', order)]
    const { address } = await askPayment(api, [one], 'Bitcoin')
    chain.pay('Bitcoin', address, '0.00000600')
    await chain.work('Bitcoin')
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 409, code: 'payment_seen' })
    for (const id of [one, two]) expect((await api.send('GET', `/item/${id}`)).status).toBe(200)
  })

  it('leaves what is paid, with the order; 409 where nothing else is in it', async () => {
    const order = crypto.randomUUID()
    const [paid, unpaid] = [await mergedFile('paid', order), await mergedFile('unpaid', order)]
    await env.DB.prepare('UPDATE items SET status = 202 WHERE id = ?').bind(paid).run()
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 204 })
    expect((await api.send('GET', `/item/${unpaid}`)).status).toBe(404)
    expect(await orders()).toMatchObject([{ id: order, counts: { ...none, '202': 1 } }])
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 409, code: 'already_paid' })
  })

  it('503: where more files are unpaid than it removes at once, and removes the others when it is repeated', async () => {
    const { userId, headers } = await signIn()
    api = callApi(headers)
    const order = crypto.randomUUID()
    await putFile({ name: 'one more', blockchain: 'Bitcoin', order })
    await addMany('items', 21_000, {
      ...{ id: `'many' || n`, user_id: `'${userId}'`, name: `'many'`, order_id: `'${order}'` },
    })
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 503, code: 'busy' })
    expect(await orders()).toMatchObject([{ id: order, counts: { ...none, '201': 1 } }])
    expect(await json('DELETE', `/order/${order}`)).toMatchObject({ httpStatus: 204 })
    expect(await orders()).toEqual([])
  })

  it('goes by itself with the last of what is in it', async () => {
    const order = crypto.randomUUID()
    const id = await putFile({ name: 'a', blockchain: 'Bitcoin', order })
    const before = await count('orders')
    await env.DB.prepare('DELETE FROM items WHERE id = ?').bind(id).run()
    expect(await count('orders')).toBe(before - 1)
  })
})
