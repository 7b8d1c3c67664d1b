import type { ChildProcess } from 'node:child_process'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { User } from '../cli/run-hookline.ts'
import { connect } from '../kit/call-devnet.ts'
import { type DohServer, startDohServer } from '../kit/doh-server.ts'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { EMAIL, openService, worker } from './open-service.ts'

const DOMAIN = 'www.almanac.localhost'
const PICTURE = Buffer.alloc(1_500_000, 7)

let doh: DohServer

beforeAll(async () => {
  doh = await startDohServer()
})
afterAll(() => doh.close())
const settings = (port: number) => ({ STORAGE_HOST: `storage.localhost:${port}`, DOH_URL: doh.url })
openService({ settings, account: 'user', mines: true })

/** Pays what the command prints as a payment link, once. */
function payFromOutput(child: ChildProcess): void {
  let text = ''
  let paid = false
  child.stderr?.on('data', (data) => {
    text += String(data)
    const [, address, amount] = /nativecoin:(\w+)\?amount=([\d.]+)/.exec(text) ?? []
    if (paid || address === undefined) return
    paid = true
    connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', address, amount)
  })
}

/** What a visitor of a host of this machine gets. */
const visit = (host: string, path = '/') =>
  new Promise<{ status: number | undefined; policy: string | undefined; text: string }>((resolve, reject) => {
    const { port } = new URL(worker.url)
    const asked = request({ host: '127.0.0.1', port, path, headers: { Host: `${host}:${port}` } }, (response) => {
      let text = ''
      response.on('data', (part) => {
        text += String(part)
      })
      response.on('end', () => {
        const { statusCode: status, headers } = response
        resolve({ status, policy: headers['cache-control'], text })
      })
    })
    asked.on('error', reject).end()
  })

it('site deploy: a folder becomes a version, another one the next, at the host of the site and at a domain', async () => {
  const user = new User(worker.url, { HOOKLINE_KEY: '' })
  await user.run(['login', '--email', EMAIL, '--password-stdin'], { input: PASSWORD })
  const deploy = (...more: string[]) =>
    user.json(['site', 'deploy', 'almanac', '--site', 'almanac', '--max-fee', '0.1', '--wait', ...more], {
      onStart: payFromOutput,
    })

  user.write('almanac/index.html', '<title>March</title>')
  user.write('almanac/css/main.css', 'h1 { color: teal }')
  user.write('almanac/picture.bin', PICTURE)
  const first = await deploy()
  expect(first.code, first.stderr).toBe(0)
  expect(first.document.result).toMatchObject({ linked: [], site: { version: 1, domain: null } })
  const { host } = new URL(first.document.result.site.url)
  const site = host.split('.')[0] ?? ''
  expect(await visit(`${site}.storage.localhost`)).toEqual({
    status: 200,
    policy: 'public, max-age=0, must-revalidate',
    text: '<title>March</title>',
  })

  user.write('almanac/index.html', '<title>April</title>')
  const second = await deploy('--domain', DOMAIN)
  // The version is shown; the domain waits for its record, which is named.
  expect(second.code, second.stderr).toBe(8)
  expect(second.document).toMatchObject({ error: { code: 'domain_waiting' }, result: { site: { version: 2 } } })
  // What the first version holds is neither sent nor priced.
  expect(second.stderr).toContain('1 of 3 files sent, 2 already there.')
  const { linked, estimate, items } = second.document.result
  expect(linked).toEqual(['css/main.css', 'picture.bin'])
  expect(Number(estimate.amount)).toBeLessThan(Number(first.document.result.estimate.amount) / 10)
  expect(items[0].storedSize).toBeLessThan(2000)
  expect((await visit(`${site}.storage.localhost`, '/css/main.css')).text).toBe('h1 { color: teal }')
  expect(second.document.error.hint).toContain(`${DOMAIN} CNAME ${site}.storage.localhost`)
  expect((await visit(`${site}.storage.localhost`)).text).toBe('<title>April</title>')

  doh.zone[DOMAIN] = [['CNAME', `${site}.storage.localhost`]]
  const third = await deploy('--domain', DOMAIN)
  expect(third.code, third.stderr).toBe(0)
  expect(third.document.result.site).toMatchObject({ version: 2, domain: { host: DOMAIN, status: 'active' } })
  expect((await visit(DOMAIN)).text).toBe('<title>April</title>')
  expect((await visit(DOMAIN, '/.well-known/hookline-host')).text.trim()).toBe(site)
})

it('site deploy links all files of a folder that is known whole, and none that only somebody else has stored', async () => {
  const deploy = async (email: string) => {
    const user = new User(worker.url, { HOOKLINE_KEY: '' })
    await user.run(['login', '--email', email, '--password-stdin'], { input: PASSWORD })
    user.write('almanac/index.html', '<title>April</title>')
    user.write('almanac/picture.bin', PICTURE)
    return (await user.json(['site', 'deploy', 'almanac', '--site', 'almanac', '--max-fee', '0.1'])).document
  }
  const known = await deploy(EMAIL)
  expect(known).toMatchObject({ error: { code: 'unpaid' }, result: { linked: ['index.html', 'picture.bin'] } })
  expect(Number(known.result.payments[0].amount)).toBeLessThan(0.001)
  await signUp(worker, 'bob@example.com')
  const unknown = await deploy('bob@example.com')
  expect(unknown).toMatchObject({ error: { code: 'unpaid' }, result: { linked: [] } })
  expect(Number(unknown.result.payments[0].amount)).toBeGreaterThan(10 * Number(known.result.payments[0].amount))
})
