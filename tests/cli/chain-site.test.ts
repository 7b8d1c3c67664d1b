import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { carOf } from '../kit/car-of.ts'
import { chainContent, chainServer } from '../reader/chain-server.ts'
import { ApiServer, answerBy } from './api-server.ts'
import { User } from './run-hookline.ts'

const FILES = { 'index.html': '<h1>home</h1>', 'guide/index.html': '<h1>guide</h1>', 'guide/style.css': 'p {}' }
const ITEM = 'a'.repeat(24)

/** A service whose transactions of Nativecoin hold a website of `files`, as those of one item. */
async function start(files: Record<string, string> = FILES) {
  const transactions = chainContent(brotliCompressSync(await carOf(files)), 80)
  const txids = transactions.map(({ txid }) => txid)
  const source = { blockchain: 'Nativecoin', name: 'site', mimetype: 'inode/directory', size: 9, txids, cid: 'bafy' }
  const api = await ApiServer.start([
    ['GET', /^\/v0\/tx\/Nativecoin\//, answerBy(chainServer(transactions).fetch)],
    ['GET', /^\/v0\/tx\//, () => ({ status: 404 })],
    ['GET', /^\/v0\/item\/[0-9a-f]{24}\/source$/, () => ({ json: source })],
  ])
  const user = new User(api.url, { HOOKLINE_KEY: '' })
  for (const [path, text] of Object.entries(FILES)) user.write(`here/${path}`, text)
  return { api, user, names: txids.join() }
}

it.each([
  ['its txids', (names: string) => names],
  ['the id of its item', () => ITEM],
])('get by %s writes the folder of a website on a chain', async (_, nameOf) => {
  const { user, names } = await start()
  const ran = await user.run(['get', nameOf(names), '-o', 'site'])
  expect(ran.code, ran.stderr).toBe(0)
  for (const [path, text] of Object.entries(FILES)) expect(readFileSync(user.path('site', path), 'utf8')).toBe(text)
  expect((await user.run(['get', nameOf(names), '-o', 'site'])).stdout).toContain('already the same')
})

it('get writes one file of a website, one folder of it, or the CAR that it is', async () => {
  const { user, names } = await start()
  expect(await user.run(['get', `${names}/guide/style.css`])).toMatchObject({ code: 0, stdout: 'p {}' })
  expect(await user.run(['get', `${names}/guide/`, '-o', 'guide'])).toMatchObject({ code: 0 })
  expect(readFileSync(user.path('guide/index.html'), 'utf8')).toBe('<h1>guide</h1>')
  await user.run(['get', names, '--raw', '-o', 'stored'])
  expect(readFileSync(user.path('stored'))).toEqual(brotliCompressSync(await carOf(FILES)))
})

it.each([
  ['/nothing.html', [], 5, 'nothing.html does not exist'],
  ['', [], 2, 'This is a folder'],
  ['', ['-o', 'here'], 5, 'exists and is different'],
])(
  'get of a website with the path "%s" and %j ends with %i and writes nothing',
  async (path, options, code, sentence) => {
    const { user, names } = await start({ ...FILES, 'guide/index.html': '<h1>altered</h1>' })
    const ran = await user.run(['get', names + path, ...options])
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(sentence)
    expect(readFileSync(user.path('here/guide/index.html'), 'utf8')).toBe('<h1>guide</h1>')
  },
)

it('a path in transactions that hold one file is refused', async () => {
  const transactions = chainContent(brotliCompressSync(Buffer.from('a letter')), 80)
  const api = await ApiServer.start([['GET', /^\/v0\/tx\//, answerBy(chainServer(transactions).fetch)]])
  const user = new User(api.url, { HOOKLINE_KEY: '' })
  const { document } = await user.json(['get', `${transactions.map(({ txid }) => txid)}/a.txt`, '-o', 'a.txt'])
  expect(document).toMatchObject({ exitCode: 5, error: { code: 'not_a_site' } })
})

it.each([
  ['the same folder', FILES, 'here', '', 0, []],
  ['a folder of it', FILES, 'here/guide', '/guide', 0, []],
  ['a file of it', FILES, 'here/index.html', '/index.html', 0, []],
  ['an altered file', { ...FILES, 'index.html': '<h1>home!</h1>' }, 'here', '', 6, ['index.html differs']],
  ['a file more', { ...FILES, 'b.txt': 'b' }, 'here', '', 6, ['b.txt is missing here']],
  [
    'a file less',
    { 'index.html': FILES['index.html'] },
    'here/guide',
    '',
    6,
    expect.arrayContaining(['style.css is here only']),
  ],
])('verify of a website on a chain with %s', async (_, files, here, path, code, differences) => {
  const { user, names } = await start(files)
  const { document, stderr } = await user.json(['verify', here, names + path])
  expect(document, stderr).toMatchObject({ exitCode: code, result: { differences } })
})
