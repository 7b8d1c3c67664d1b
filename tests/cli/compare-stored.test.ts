import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
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

/** A service on which a folder of these files is stored on IPFS, and `meanwhile` runs before it is read back. */
async function startFolder(stored: Record<string, string>, meanwhile: (user: User) => void) {
  const { api, user } = await start()
  const blocks = new TestBlocks()
  const files = Object.entries(stored).map(([path, text]) => ({ path, content: Buffer.from(text) }))
  const cid = String(await importFiles(blocks, files, { chunkSize: 10 }))
  const source = { blockchain: 'IPFS', name: 'a', mimetype: 'inode/directory', size: 1, txids: null, cid }
  const answer = () => {
    meanwhile(user)
    return { json: source }
  }
  api.routes.push(
    ['GET', /^\/v0\/item\/[0-9a-f]{24}\/source$/, answer],
    ['GET', /^\/ipfs\//, answerBy(ipfsServer(blocks).fetch)],
  )
  return user
}

describe.each([
  ['changed', (file: string) => writeFileSync(file, 'what was changed'), 'changed'],
  ['became shorter', (file: string) => truncateSync(file, 4), 'changed'],
  ['became empty', (file: string) => truncateSync(file, 0), 'changed'],
  ['became longer', (file: string) => appendFileSync(file, '!'), 'changed'],
  ['was removed', (file: string) => rmSync(file), 'removed'],
])('a local file that %s after it was sent', (_, act, how) => {
  it('is named, and what is stored on a chain is called stored', async () => {
    const { api, user } = await start()
    serveStored(api, 'what was stored')
    api.routes.unshift(['GET', /source$/, () => void act(user.path('a.txt'))])
    const { document, stderr } = await user.json(put('nativecoin'))
    expect(document, stderr).toMatchObject({
      exitCode: 0,
      result: { state: 'stored', changed: [{ path: 'a.txt', how }] },
    })
    expect(stderr).toContain(`a.txt ${how === 'removed' ? 'was removed' : how} on this machine after it was sent.`)
    expect(stderr).not.toContain('other bytes')
  })

  it('is named, where it is one of a folder on IPFS', async () => {
    const files = { 'index.html': '<h1>Site</h1>', 'notes/a.txt': 'what was stored' }
    const user = await startFolder(files, (one) => act(one.path('site/notes/a.txt')))
    for (const [path, text] of Object.entries(files)) user.write(`site/${path}`, text)
    const { document, stderr } = await user.json(put('ipfs', 'site'))
    expect(document, stderr).toMatchObject({ exitCode: 0, result: { changed: [{ path: 'notes/a.txt', how }] } })
  })

  it('does not hide that the service names other bytes', async () => {
    const { api, user } = await start()
    serveStored(api, 'what was spoilt')
    api.routes.unshift(['GET', /source$/, () => void act(user.path('a.txt'))])
    expect((await user.json(put('nativecoin'))).document).toMatchObject({
      exitCode: 6,
      error: { code: 'not_verified' },
    })
  })
})

it('bytes that the local file was changed to are not what was sent, and end with 6', async () => {
  const { api, user } = await start()
  serveStored(api, 'what was changed')
  api.routes.unshift(['GET', /source$/, () => void user.write('a.txt', 'what was changed')])
  expect((await user.json(put('nativecoin'))).document).toMatchObject({ exitCode: 6, error: { code: 'not_verified' } })
})

it('a folder that is removed after it was sent is named file by file', async () => {
  const files = { 'index.html': '<h1>Site</h1>', 'notes/a.txt': 'a' }
  const user = await startFolder(files, (one) => rmSync(one.path('site'), { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) user.write(`site/${path}`, text)
  const { document } = await user.json(put('ipfs', 'site'))
  expect(document.result.changed.map(({ path }: { path: string }) => path).sort()).toEqual([
    'index.html',
    'notes/a.txt',
  ])
})

it('a directory in which an empty folder is missing ends with 6', async () => {
  const files = { 'index.html': '<h1>Site</h1>' }
  const user = await startFolder(files, () => undefined)
  user.write('site/index.html', files['index.html'])
  user.makeFolder('site/empty')
  expect((await user.json(put('ipfs', 'site'))).document).toMatchObject({ exitCode: 6 })
})

it('a file that is removed between the price and its first byte is said to be removed', async () => {
  const { api, user } = await start()
  api.routes.unshift(['POST', /^\/v0\/item$/, () => void rmSync(user.path('a.txt'), { force: true })])
  const { document } = await user.json(put('nativecoin'))
  expect(document).toMatchObject({ ok: false, error: { code: 'content_changed' } })
  expect(document.error.message).toContain('a.txt was removed while it was being stored.')
})
