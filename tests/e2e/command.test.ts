import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collect, User } from '../cli/run-hookline.ts'
import { connect } from '../kit/call-devnet.ts'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'

const EMAIL = 'ada@example.com'
const PICTURE = readFileSync('examples/picture.jpg')

let worker: RunningWorker
let mining: ReturnType<typeof setInterval>

beforeAll(async () => {
  worker = await startWorker()
  await signUp(worker, EMAIL)
  mining = setInterval(() => worker.chains.devnet.mineWaiting(), 200)
})
afterAll(async () => {
  clearInterval(mining)
  await worker.close()
})

it('three commands to a stored picture: login, put --wait, and the payment that it prints', async () => {
  const user = new User(worker.url, { HOOKLINE_KEY: '' })
  user.write('picture.jpg', PICTURE)
  const login = await user.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  expect(login.code, login.stderr).toBe(0)
  const put = await user.run(['put', 'picture.jpg', '--to', 'nativecoin', '--max-fee', '0.1', '--wait'], {
    onStart: (child) => payFromOutput(child, 'stderr'),
  })
  expect(put.code, put.stderr).toBe(0)
  const [, txids = ''] = /^txids +(\w+)/m.exec(put.stdout) ?? []
  // Nobody is believed: the picture comes back by its txid, verified.
  expect((await user.run(['get', txids])).bytes).toEqual(PICTURE)
  expect((await user.json(['verify', 'picture.jpg', txids])).document).toMatchObject({ result: { answer: 'same' } })
  const again = await user.json(['put', 'picture.jpg', '--to', 'nativecoin', '--max-fee', '0.1', '--wait'])
  expect(again.document).toMatchObject({ ok: true, result: { state: 'stored', items: [{ txids: [txids] }] } })
  expect((await user.run(['ls', '--json'])).stdout.trim().split('\n')).toHaveLength(1)
})

/** Pays what a program prints as a payment link, once. */
function payFromOutput(child: ChildProcess, output: 'stdout' | 'stderr'): void {
  let text = ''
  let paid = false
  child[output]?.on('data', (data) => {
    text += String(data)
    const [, address, amount] = /nativecoin:(\w+)\?amount=([\d.]+)/.exec(text) ?? []
    if (paid || address === undefined) return
    paid = true
    connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', address, amount)
  })
}

it('makes a key that signs in for a server, for what it was made for, until it is revoked', async () => {
  const owner = new User(worker.url, { HOOKLINE_KEY: '' })
  await owner.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  const made = await owner.run(['keys', 'create', 'ci', '--scope', 'store', '--days', '30', '--limit', 'bitcoin=0.5'])
  expect(made.code, made.stderr).toBe(0)
  const key = made.stdout.trim()
  const server = new User(worker.url, { HOOKLINE_KEY: key })
  expect((await server.json(['whoami'])).document).toMatchObject({
    result: { email: EMAIL, key: { kind: 'key', name: 'ci', scopes: ['store'], expiresAt: expect.any(Number) } },
  })
  server.write('note.txt', 'Kept on a chain.')
  const put = await server.json(['put', 'note.txt', '--to', 'ipfs', '--max-fee', '0.1'])
  expect(put.document).toMatchObject({ ok: false, error: { code: 'scope_missing' } })
  // A key makes no other, and an old session has to log in again.
  expect((await server.json(['keys', 'create', 'more', '--scope', 'pay'])).document).toMatchObject({
    error: { code: 'key_not_taken' },
  })
  const listed: { id: string } = JSON.parse((await owner.run(['keys', '--json'])).stdout)
  expect(listed).toMatchObject({ name: 'ci', scopes: ['store'] })
  expect((await owner.run(['keys', 'revoke', listed.id])).code).toBe(0)
  expect((await server.json(['whoami'])).document).toMatchObject({ ok: false, exitCode: 4 })
})

it('the lines of the README store a file with a key and watch it until it is stored', async () => {
  const owner = new User(worker.url, { HOOKLINE_KEY: '' })
  await owner.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  const words = ['keys', 'create', 'notes', '--scope', 'store', '--scope', 'pay']
  const key = (await owner.run(words)).stdout.trim()
  const [, lines = ''] = /```js\n(import \{ createClient \}[^`]*)```/.exec(readFileSync('README.md', 'utf8')) ?? []
  const program = lines
    .replace("'hookline'", JSON.stringify(new URL('../../client/index.ts', import.meta.url).href))
    .replace('https://api.example', worker.url)
    .replace('your API key', key)
    .replace("'Bitcoin'", "'Nativecoin'")
  owner.write('note.mjs', program)
  const child = spawn(process.execPath, [owner.path('note.mjs')])
  payFromOutput(child, 'stdout')
  const { code, stdout, stderr } = await collect(child)
  expect(code, stderr).toBe(0)
  expect(stdout.trim().split('\n').at(-1)).toBe('200 OK')
})

it('stores on IPFS, reads it back by its CID, and forgets the sign-in at logout', async () => {
  const user = new User(worker.url, { HOOKLINE_KEY: '' })
  user.write('picture.jpg', PICTURE)
  await user.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  const { document } = await user.json(['put', 'picture.jpg', '--to', 'ipfs', '--max-fee', '0.1'])
  expect(document, JSON.stringify(document.error)).toMatchObject({ ok: true, result: { state: 'unpaid' } })
  const [item] = document.result.items
  expect(item.cid).toMatch(/^baf/)
  expect((await user.json(['status', item.id])).document).toMatchObject({ exitCode: 8, result: { state: 'unpaid' } })
  expect(await user.run(['rm', item.id, '--yes'])).toMatchObject({ code: 0 })
  expect(await user.run(['logout'])).toMatchObject({ code: 0 })
  expect(await user.run(['ls'])).toMatchObject({ code: 4 })
})
