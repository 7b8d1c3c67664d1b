import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { collect, User } from '../cli/run-hookline.ts'
import { connect } from '../kit/call-devnet.ts'
import { PASSWORD } from '../kit/sign-up.ts'
import { EMAIL, openService, worker } from './open-service.ts'

const LETTER = readFileSync('examples/letter.txt')
const PICTURE = readFileSync('examples/picture.jpg')

openService({ account: 'user', mines: true })

it('three commands to a stored file, login, put --wait and the payment that it prints: the five lines of the README', {
  timeout: 180_000,
}, async () => {
  const user = new User(worker.url, { HOOKLINE_KEY: '' })
  user.write('examples/letter.txt', LETTER)
  const lines = readmeLines()
  expect(lines).toHaveLength(5)
  let txids = ''
  for (const line of lines) {
    const words = line
      .replace('http://127.0.0.1:8787', worker.url)
      .replace('you@example.com', EMAIL)
      .replace('<the txids that it printed>', txids)
      .split(' ')
    // There is no terminal to enter it.
    const asked = words[0] === 'login' ? { words: ['--password-stdin'], input: PASSWORD } : { words: [], input: '' }
    const ran = await user.run([...words, ...asked.words], {
      input: asked.input,
      onStart: (child) => payFromOutput(child, 'stderr'),
    })
    expect(ran.code, `${line}\n${ran.stderr}`).toBe(0)
    txids = /^txids +(\w+)/m.exec(ran.stdout)?.[1] ?? txids
  }
  // The letter was read back by its txid, and verified.
  expect(readFileSync(user.path('letter.txt'))).toEqual(LETTER)
  expect((await user.json(['verify', 'letter.txt', txids])).document).toMatchObject({ result: { answer: 'same' } })
  const again = await user.json(['put', 'letter.txt', '--to', 'nativecoin', '--max-fee', '0.1', '--wait'])
  expect(again.document).toMatchObject({ ok: true, result: { state: 'stored', items: [{ txids: [txids] }] } })
  expect((await user.run(['ls', '--json'])).stdout.trim().split('\n')).toHaveLength(1)
})

it('stores content of several transactions, and gives it back by the one txid of its index', {
  timeout: 180_000,
}, async () => {
  const user = new User(worker.url, { HOOKLINE_KEY: '' })
  await user.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  const content = randomBytes(250_000)
  user.write('large.bin', content)
  const both = await user.run(['put', 'large.bin', '--to', 'nativecoin', '--index', '--no-index'])
  expect(both.code).toBe(2)
  const put = await user.run(
    ['put', 'large.bin', '--to', 'nativecoin', '--index', '--max-fee', '1', '--wait', '--json'],
    {
      onStart: (child) => payFromOutput(child, 'stderr'),
    },
  )
  const [{ id, transactions, txids }] = JSON.parse(put.stdout).result.items
  expect([put.code, transactions, txids.length]).toEqual([0, 4, 3])
  const indexed = await vi.waitFor(
    async () => {
      const { document } = await user.json(['status', id])
      expect(document.result.index).toMatch(/^[0-9a-f]{64}$/)
      return document.result.index
    },
    { timeout: 90_000, interval: 1_000 },
  )
  expect((await user.run(['get', indexed, '--chain', 'nativecoin', '--output', 'back.bin'])).code).toBe(0)
  expect(readFileSync(user.path('back.bin'))).toEqual(content)
  expect((await user.json(['verify', 'large.bin', indexed])).document).toMatchObject({ result: { answer: 'same' } })
})

/** The words behind `npx hookline` of the README's lines for the command. */
function readmeLines(): string[] {
  const [, block = ''] = /```sh\n(npx hookline login [^`]*)```/.exec(readFileSync('README.md', 'utf8')) ?? []
  return block
    .trim()
    .split('\n')
    .map((line) => line.replace(/^npx hookline /, ''))
}

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
  expect((await server.json(['keys', 'create', 'more', '--scope', 'read'])).document).toMatchObject({
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
  const words = ['keys', 'create', 'notes', '--scope', 'store', '--scope', 'pay', '--limit', 'nativecoin=1']
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
  expect(document, JSON.stringify(document.error)).toMatchObject({ exitCode: 8, result: { state: 'unpaid' } })
  const [item] = document.result.items
  expect(item.cid).toMatch(/^baf/)
  expect((await user.json(['status', item.id])).document).toMatchObject({ exitCode: 8, result: { state: 'unpaid' } })
  expect(await user.run(['rm', item.id, '--yes'])).toMatchObject({ code: 0 })
  expect(await user.run(['logout'])).toMatchObject({ code: 0 })
  expect(await user.run(['ls'])).toMatchObject({ code: 4 })
})

it('estimates, keeps a balance, pays from it, and pays it out, each once', { timeout: 180_000 }, async () => {
  const user = new User(worker.url, { HOOKLINE_KEY: '' })
  await user.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  const node = connect(worker.chains.devnet, 'Nativecoin')
  const balanceOf = async () => Number((await user.json(['balance'])).document.result.balances.Nativecoin)
  user.write('note.txt', 'Paid from the balance.')
  const { document: estimate } = await user.json(['estimate', 'note.txt', '--to', 'nativecoin'])
  expect(estimate.result).toMatchObject({ target: 'Nativecoin', transactions: 1, paidIn: 'Nativecoin' })
  const most = Number(estimate.result.amount)

  const before = await balanceOf()
  const { document: deposit } = await user.json(['balance', '--deposit', 'nativecoin'])
  node('sendtoaddress', deposit.result.address, '2')
  await vi.waitFor(async () => expect(await balanceOf()).toBeCloseTo(before + 2, 8), { timeout: 60_000, interval: 500 })

  // The balance is left alone until it is meant.
  const put = await user.json(['put', 'note.txt', '--to', 'nativecoin', '--max-fee', '1'])
  expect(put.document).toMatchObject({ exitCode: 8, result: { state: 'unpaid', payments: [{ received: '0' }] } })
  const [{ id }] = put.document.result.items
  const [{ amount, address }] = put.document.result.payments
  expect(Number(amount)).toBeLessThanOrEqual(most)
  const shown = await user.json(['pay', id, '--max-fee', '1'])
  expect(shown.document.result.payments).toMatchObject([{ address, amount }])
  const dear = await user.json(['pay', id, '--max-fee', '0.00000001', '--pay-from-balance'])
  expect(dear.document).toMatchObject({ exitCode: 9, error: { code: 'too_dear' } })
  expect(await balanceOf()).toBeCloseTo(before + 2, 8)
  const paid = await user.json(['pay', id, '--max-fee', '1', '--pay-from-balance', '--wait'])
  expect(paid.document, paid.stderr).toMatchObject({ ok: true, result: { state: 'stored', payments: [] } })
  expect((await user.json(['pay', id, '--max-fee', '1', '--pay-from-balance'])).document).toMatchObject({ ok: true })
  expect(await balanceOf()).toBeCloseTo(before + 2 - Number(amount), 8)
  expect((await user.json(['status', id])).document).toMatchObject({ exitCode: 0, result: { state: 'stored' } })

  const own = String(node('getnewaddress'))
  const withdraw = ['withdraw', '0.5', own, '--chain', 'nativecoin', '--max-fee', '0.1', '--yes']
  expect((await user.json([...withdraw, '--dry-run'])).document.result).toMatchObject({ dryRun: true, state: 'none' })
  const sent = await user.json(withdraw)
  expect(sent.document, sent.stderr).toMatchObject({ ok: true, result: { address: own, amount: '0.5' } })
  expect((await user.json(withdraw)).document).toMatchObject({ exitCode: 5, error: { code: 'sent_already' } })
  const left = before + 1.5 - Number(amount) - Number(sent.document.result.fee)
  expect(await balanceOf()).toBeCloseTo(left, 8)
  const received = async () => expect(Number(node('getreceivedbyaddress', own, 1))).toBe(0.5)
  await vi.waitFor(received, { timeout: 60_000, interval: 500 })
})
