import { expect, it } from 'vitest'
import { importFiles, ipfsServer, TestBlocks } from '../reader/ipfs-server.ts'
import { ApiServer, answerBy, TARGETS } from './api-server.ts'
import { User } from './run-hookline.ts'
import { serveStored } from './stored-content.ts'

/** A service that pays from the balance, and whose paid items are stored at once. */
async function start() {
  const api = await ApiServer.start([TARGETS])
  api.fake.balance = 1_000_000
  api.fake.before = ({ method, path }) => {
    if (method !== 'GET' || !path.startsWith('/v0/item/')) return undefined
    for (const item of api.fake.items.values()) if (item.status === '202 Accepted') item.status = '200 OK'
    return undefined
  }
  const user = new User(api.url)
  user.write('a.txt', 'what was stored')
  return { api, user }
}

const put = (to: string, what = 'a.txt') => ['put', what, '--to', to, '--max-fee', '1', '--pay-from-balance', '--wait']

it('put says "stored" once the txids that the service names were read back and hold the bytes', async () => {
  const { api, user } = await start()
  serveStored(api, 'what was stored')
  expect(await user.run(put('nativecoin'))).toMatchObject({ code: 0, stdout: expect.stringMatching(/^stored/) })
  expect(api.paths.some((path) => path.startsWith('GET /v0/tx/Nativecoin/'))).toBe(true)
})

it('txids of other bytes end with 6, and nothing is called stored', async () => {
  const { api, user } = await start()
  serveStored(api, 'what was never stored')
  const ran = await user.run(put('nativecoin'))
  expect(ran).toMatchObject({ code: 6, stdout: '' })
  expect(ran.stderr).toContain('The service says that a.txt is stored, but what it names are other bytes.')
})

it('txids of another chain than the one that was asked for end with 6', async () => {
  const { api, user } = await start()
  serveStored(api, 'what was stored')
  expect(await user.run(put('bitcoin'))).toMatchObject({ code: 6, stdout: '' })
})

it.each([
  ['the bytes', ['what was stored'], 0],
  ['other bytes', ['what was spoilt'], 6],
  ['a directory of the same files', ['<h1>Site</h1>', 'h1 { color: teal }'], 0],
  ['a directory that misses one', ['<h1>Site</h1>'], 6],
])('the CID of %s ends with its own code', async (_, contents, code) => {
  const { api, user } = await start()
  const blocks = new TestBlocks()
  const names = ['index.html', 'style.css']
  const isFile = String(contents[0]).startsWith('what')
  user.write('site/index.html', '<h1>Site</h1>')
  user.write('site/style.css', 'h1 { color: teal }')
  const files = contents.map((text, index) => ({
    content: Buffer.from(text),
    ...(!isFile && { path: names[index] ?? '' }),
  }))
  const cid = String(await importFiles(blocks, files))
  const source = { blockchain: 'IPFS', name: 'a', mimetype: 'text/plain', size: 1, txids: null, cid }
  api.routes.push(
    ['GET', /^\/v0\/item\/[0-9a-f]{24}\/source$/, () => ({ json: source })],
    ['GET', /^\/ipfs\//, answerBy(ipfsServer(blocks).fetch)],
  )
  expect(await user.run(put('ipfs', isFile ? 'a.txt' : 'site'))).toMatchObject({ code })
})

it('what is stored and cannot be read back ends with 7', async () => {
  const { api, user } = await start()
  const source = { blockchain: 'Nativecoin', name: 'a', mimetype: 'text/plain', size: 1, txids: ['a'.repeat(64)] }
  api.routes.push(
    ['GET', /source$/, () => ({ json: { ...source, cid: null } })],
    ['GET', /^\/v0\/tx\//, () => ({ status: 404 })],
  )
  expect((await user.json(put('nativecoin'))).document).toMatchObject({ exitCode: 7, error: { code: 'not_read_back' } })
})

it('verify says what its answer proves and what it does not', async () => {
  const { api, user } = await start()
  serveStored(api, 'what was stored')
  const txids = (
    await fetch(`${api.url}/v0/item/${'0'.repeat(24)}/source`).then((answer) => answer.json())
  ).txids.join()
  const ran = await user.run(['verify', 'a.txt', txids])
  expect(ran).toMatchObject({ code: 0, stdout: 'same\n' })
  expect(ran.stderr).toContain('does not prove that the transactions are mined or have confirmations')
})
