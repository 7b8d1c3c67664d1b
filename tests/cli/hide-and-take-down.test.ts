import { expect, it } from 'vitest'
import { ApiServer } from './api-server.ts'
import { User } from './run-hookline.ts'

const [A, B] = ['a'.repeat(24), 'b'.repeat(24)]
const item = {
  ...{ id: A, name: 'a.txt', mimetype: 'text/plain', blockchain: 'IPFS', status: '200 OK' },
  ...{ message: null, size: 6, storedSize: 9, cid: null, transactions: 0, written: 0, confirmed: 0, createdAt: 1 },
  ...{ links: { content: 'https://x/', web: null, site: 'https://x/' }, embed: null },
  ...{ folder: null, path: null, files: null },
}

async function start() {
  const api = await ApiServer.start([
    ['GET', /^\/v0\/item(\?.*)?$/, () => ({ json: { items: [item] } })],
    ['PATCH', /^\/v0\/item\//, ({ body }) => ({ json: { ...item, ...JSON.parse(body) } })],
    [
      'POST',
      new RegExp(`^/v0/item/${B}/take-down$`),
      () => ({ status: 409, json: { code: 'item_shown', message: 'The site almanac shows this item.' } }),
    ],
    ['POST', /\/take-down$/, () => ({ status: 204 })],
  ])
  return { api, user: new User(api.url) }
}

it('hides items, lists only the hidden ones, and has them in the lists again', async () => {
  const { api, user } = await start()
  expect((await user.json(['hide', A, B])).document).toMatchObject({ exitCode: 0, result: { hidden: [A, B] } })
  expect(api.bodies('PATCH', `/v0/item/${A}`)).toEqual([{ hidden: true }])
  expect(await user.run(['ls', '--hidden'])).toMatchObject({ code: 0 })
  expect(api.paths.at(-1)).toBe('GET /v0/item?hidden=true')
  expect((await user.json(['unhide', A])).document).toMatchObject({ exitCode: 0, result: { listed: [A] } })
  expect(api.bodies('PATCH', `/v0/item/${A}`).at(-1)).toEqual({ hidden: false })
})

it('takes items down, after a question, and names each that is refused', async () => {
  const { api, user } = await start()
  expect(await user.run(['take-down', A])).toMatchObject({ code: 2 })
  expect(api.seen).toEqual([])
  const { document } = await user.json(['take-down', A, B, '--yes'])
  expect(document.result).toMatchObject({ takenDown: [A], failed: [{ id: B, code: 'item_shown' }] })
  expect(document.exitCode).not.toBe(0)
})
