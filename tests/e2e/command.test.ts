import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { User } from '../cli/run-hookline.ts'
import { connect } from '../kit/call-devnet.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'Correct1horse'
const PICTURE = readFileSync('examples/picture.jpg')

let worker: RunningWorker
let mining: ReturnType<typeof setInterval>

beforeAll(async () => {
  worker = await startWorker()
  await signUp()
  mining = setInterval(() => worker.chains.devnet.mineWaiting(), 200)
})
afterAll(async () => {
  clearInterval(mining)
  await worker.close()
})

/** An account whose address is verified, by the link of the mail. */
async function signUp(): Promise<void> {
  const body = JSON.stringify({ email: EMAIL, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' })
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${worker.url}/v0/user`, { method: 'POST', headers, body })
  const { mails } = worker.chains.devnet.outbox
  await vi.waitFor(() => expect(mails).toHaveLength(1), 20_000)
  const [, token = ''] = /verify\?token=(\S+)/.exec(mails[0]?.text ?? '') ?? []
  const form = new URLSearchParams({ token: decodeURIComponent(token), password: PASSWORD })
  expect((await fetch(`${worker.url}/v0/user/verify`, { method: 'POST', body: form })).status).toBe(200)
}

it('three commands to a stored picture: login, put --wait, and the payment that it prints', async () => {
  const user = new User(worker.url, { HOOKLINE_KEY: '' })
  user.write('picture.jpg', PICTURE)
  const login = await user.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  expect(login.code, login.stderr).toBe(0)
  let paid = false
  const put = await user.run(['put', 'picture.jpg', '--to', 'nativecoin', '--max-fee', '0.1', '--wait'], {
    onStart(child) {
      let text = ''
      child.stderr?.on('data', (data) => {
        text += String(data)
        const [, address, amount] = /nativecoin:(\w+)\?amount=([\d.]+)/.exec(text) ?? []
        if (paid || address === undefined) return
        paid = true
        connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', address, amount)
      })
    },
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
