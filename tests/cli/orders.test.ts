import { expect, it } from 'vitest'
import { ApiServer, TARGETS } from './api-server.ts'
import { User } from './run-hookline.ts'

const ORDER = '5f0e3c1a-7f5b-4d2e-9a53-0c4b8f1d2e6a'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const order = {
  ...{ id: ORDER, name: 'site', blockchain: 'IPFS', createdAt: 1_760_000_000 },
  counts: { 200: 1, 201: 0, 202: 0, 402: 2, 409: 0 },
  payments: [{ address: null, paidIn: 'Nativecoin', state: 'settled', amount: 0.01, expiresAt: 1_760_000_900 }],
}

async function start() {
  const api = await ApiServer.start([TARGETS])
  const user = new User(api.url)
  return { api, user }
}

it('put says which order its items and folders are of, and another put is another order', async () => {
  const { api, user } = await start()
  user.write('docs/a.txt', 'one')
  user.write('docs/below/b.txt', 'two')
  for (const to of ['nativecoin', 'ipfs']) await user.run(['put', 'docs', '--to', to, '--max-fee', '1'])
  const items = api.bodies('POST', '/v0/item').flatMap(({ items }) => items)
  const folders = api.bodies('POST', '/v0/folder')
  expect(items).toHaveLength(4)
  expect(folders).toHaveLength(3)
  const orders = new Set([...items, ...folders].map(({ order: id }) => id))
  expect(orders.size).toBe(2)
  for (const id of orders) expect(id).toMatch(UUID)
})

it('order ls lists the orders of the account, with their files by state', async () => {
  const { api, user } = await start()
  api.routes.push(['GET', /^\/v0\/order$/, () => ({ json: { orders: [order] } })])
  const { stdout } = await user.run(['order', 'ls'])
  expect(stdout).toContain(ORDER)
  expect(stdout).toContain('1 stored, 2 unpaid')
  const { stdout: lines } = await user.run(['order', 'ls', '--json'])
  expect(JSON.parse(lines)).toMatchObject({ ...order, payments: [{ address: null, state: 'settled', amount: '0.01' }] })
})

it('ls --order lists the files of one order', async () => {
  const { api, user } = await start()
  api.routes.push(['GET', /^\/v0\/item\?/, () => ({ json: { items: [] } })])
  expect(await user.run(['ls', '--order', ORDER])).toMatchObject({ code: 0 })
  expect(api.paths).toContain(`GET /v0/item?order=${ORDER}`)
  expect(await user.run(['ls', '--order', 'mine'])).toMatchObject({ code: 2 })
  expect(await user.run(['ls', '--order', ORDER, '--name', 'a'])).toMatchObject({ code: 2 })
})

it('order rm asks first, ends the order, and says why one that was paid stays', async () => {
  const { api, user } = await start()
  let seen = false
  api.routes.push([
    'DELETE',
    /^\/v0\/order\//,
    () => (seen ? { status: 409, json: { code: 'payment_seen', message: 'Money was seen for it.' } } : { status: 204 }),
  ])
  expect(await user.run(['order', 'rm', ORDER])).toMatchObject({ code: 2 })
  expect(await user.run(['order', 'rm', 'mine', '--yes'])).toMatchObject({ code: 2 })
  expect(api.paths).toEqual([])
  expect(await user.run(['order', 'rm', ORDER, '--yes'])).toMatchObject({ code: 0 })
  expect(api.paths).toEqual([`DELETE /v0/order/${ORDER}`])
  seen = true
  const { document } = await user.json(['order', 'rm', ORDER, '--yes'])
  expect(document).toMatchObject({ exitCode: 5, error: { code: 'payment_seen' } })
})
