import { expect, it } from 'vitest'
import { ApiServer, TARGETS, targetsWith } from './api-server.ts'
import { User } from './run-hookline.ts'
import { SITE, serveSites } from './site-server.ts'
import { routesOfSite } from './stored-content.ts'

const FILES = { 'index.html': '<h1>Site</h1>', 'guide/style.css': 'h1 { color: teal }' }
const PAYING = ['--max-fee', '1', '--pay-from-balance']
const PUT = ['put', 'dist', '--to', 'nativecoin', ...PAYING, '--wait']

async function start(stored: Record<string, string> = FILES) {
  const api = await ApiServer.start([...(await routesOfSite(stored)), TARGETS])
  api.fake.balance = 1_000_000
  const sites = serveSites(api)
  const user = new User(api.url)
  for (const [path, text] of Object.entries(FILES)) user.write(`dist/${path}`, text)
  return { api, user, sites }
}

const itemsOf = (api: ApiServer) => [...api.fake.items.values()].filter(({ partOf }) => partOf === undefined)

it('a folder with an index.html becomes one website on a chain: one item, priced and paid as one', async () => {
  const { api, user } = await start()
  const { document, stderr } = await user.json(PUT)
  expect(document, stderr).toMatchObject({ ok: true, result: { state: 'stored', website: true, files: 2 } })
  expect(itemsOf(api)).toMatchObject([{ mimetype: 'inode/directory', blockchain: 'Nativecoin' }])
  expect(api.fake.charges).toBe(1)
  expect(api.bodies('POST', '/v0/estimate').every(({ directory }) => directory === true)).toBe(true)
})

it('the same folder is an item for each file with --as files, and so is one without index.html', async () => {
  const { api, user } = await start()
  user.write('photos/a.txt', 'a')
  user.write('photos/b.txt', 'b')
  for (const args of [
    ['put', 'dist', '--as', 'files'],
    ['put', 'photos'],
  ]) {
    const { document } = await user.json([...args, '--to', 'nativecoin', '--max-fee', '1'])
    expect(document).toMatchObject({ exitCode: 8, result: { website: false } })
    expect(document.result.items).toHaveLength(2)
  }
  expect(itemsOf(api).some(({ mimetype }) => mimetype === 'inode/directory')).toBe(false)
})

it.each([['index.htm'], ['Index.html'], ['default.htm'], ['DEFAULT.HTML'], ['INDEX.HTM']])(
  'a folder with %s is one website on a chain by default, and not written file by file',
  async (page) => {
    const { user } = await start()
    user.write(`old/${page}`, '<a href="b.htm">')
    user.write('old/b.htm', 'b')
    const { document } = await user.json(['put', 'old', '--to', 'nativecoin', '--max-fee', '1'])
    expect(document).toMatchObject({ exitCode: 8, result: { website: true, files: 2 } })
    expect(document.result.items).toHaveLength(1)
  },
)

it('a folder with a page below it alone, or a page of another name, is an item for each file', async () => {
  const { user } = await start()
  user.write('old/below/index.htm', 'a')
  user.write('old/home.htm', 'b')
  const { document } = await user.json(['put', 'old', '--to', 'nativecoin', '--max-fee', '1'])
  expect(document).toMatchObject({ exitCode: 8, result: { website: false } })
})

it('a folder without index.html is one website with --as website, and a file is none', async () => {
  const { user } = await start()
  user.write('photos/a.txt', 'a')
  const args = ['--as', 'website', '--to', 'nativecoin', '--dry-run', ...PAYING]
  expect((await user.run(['put', 'photos', ...args])).stdout).toContain('as one website')
  const ran = await user.run(['put', 'photos/a.txt', ...args])
  expect(ran).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a.txt is a file, but a website must be a folder.'),
  })
})

it('what the account has of a website is not stored again, with lost state either', async () => {
  const { api, user } = await start()
  api.fake.knowsItems = true
  await user.run(PUT)
  const other = new User(api.url)
  for (const [path, text] of Object.entries(FILES)) other.write(`dist/${path}`, text)
  const { stderr, code } = await other.run(PUT)
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('You have this already: dist.')
  expect(api.fake.charges).toBe(1)
})

it.each([
  ['other bytes', { ...FILES, 'index.html': '<h1>Spoilt</h1>' }],
  ['a file less', { 'index.html': FILES['index.html'] }],
])('transactions of a website with %s end it with 6', async (_, stored) => {
  const { user } = await start(stored)
  expect((await user.json(PUT)).document).toMatchObject({ exitCode: 6, error: { code: 'not_verified' } })
})

it.each([
  ['put', ['put', 'dist', '--to', 'nativecoin', ...PAYING]],
  ['site deploy', ['site', 'deploy', 'dist', '--to', 'nativecoin', '--site', 'site', ...PAYING]],
  ['estimate', ['estimate', 'dist', '--to', 'nativecoin']],
])('%s refuses a folder that is too large for a chain before anything is made, naming IPFS', async (_, args) => {
  const { api, user } = await start()
  api.routes.unshift(targetsWith({ maxFileBytes: 30 }))
  const { document } = await user.json(args)
  expect(document).toMatchObject({ exitCode: 5, error: { code: 'content_too_large' } })
  expect(document.error.message).toBe('dist has 31 bytes in all, and the limit of one website on Nativecoin is 30.')
  expect(document.error.hint).toContain('--to ipfs')
  expect([api.fake.items.size, api.fake.folders.size, api.fake.charges]).toEqual([0, 0, 0])
})

it('site deploy --to nativecoin stores one website on the chain, and shows it', async () => {
  const { api, user, sites } = await start()
  const args = ['site', 'deploy', 'dist', '--to', 'nativecoin', '--site', 'site', ...PAYING]
  const { document, stderr } = await user.json(args)
  expect(document, stderr).toMatchObject({ ok: true, result: { site: { id: SITE, version: 1 } } })
  expect(itemsOf(api)).toMatchObject([{ blockchain: 'Nativecoin', mimetype: 'inode/directory' }])
  expect(api.paths.some((path) => path.startsWith('POST /v0/folder/') && path.endsWith('/known'))).toBe(false)
  expect(sites.versions).toHaveLength(1)
})
