import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isBlockchain } from '../../protocol/chains.ts'
import { connect } from '../kit/call-devnet.ts'
import { type CuttingProxy, startCuttingProxy } from '../kit/cutting-proxy.ts'
import { launchFirefox } from '../kit/launch-browser.ts'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import type { Engine, EnginePage } from './engine-page.ts'
import { launchWebKit } from './launch-web-kit.ts'
import { openByPlaywright } from './open-by-playwright.ts'

const MIB = 2 ** 20

let worker: RunningWorker
let proxy: CuttingProxy
let folder: string
let mining: ReturnType<typeof setInterval>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-film-'))
  worker = await startWorker()
  proxy = await startCuttingProxy(worker.url)
  mining = setInterval(() => worker.chains.devnet.mineWaiting(), 1000)
})
afterAll(async () => {
  clearInterval(mining)
  await proxy?.close()
  await worker?.close()
  await rm(folder, { recursive: true, force: true })
})

describe.each([
  ['Firefox', () => openByPlaywright(launchFirefox())],
  ['WebKit', launchWebKit],
])('the console in %s', (name, open) => {
  const email = `${name}@example.com`.toLowerCase()
  const film = `${name}.mp4`
  let engine: Engine
  let page: EnginePage

  beforeAll(async () => {
    await writeFile(join(folder, film), randomBytes(10 * MIB))
    ;[engine] = await Promise.all([open(), signUp(worker, email)])
    page = engine.page
  })
  afterAll(() => engine?.close())

  it('signs in, with nothing of the session where a script reads it', async () => {
    await page.goto(`${proxy.url}/console`)
    await page.type('input[type=email]', email)
    await page.type('input[type=password]', PASSWORD)
    await page.click('button', 'Sign in')
    await page.see('h1', 'Store')
    expect(await page.read('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}')
  })

  it('goes on with an upload that a dead line and a reload interrupted, by the same file', async () => {
    const before = await received()
    proxy.setDeadAfter(4 * MIB)
    await page.goto(`${proxy.url}/console/store`)
    await page.type('input[type=file]:not([webkitdirectory])', join(folder, film))
    await page.click('label', 'On IPFS')
    await page.click('button', 'Upload 1 file')
    await page.click('dialog input[type=checkbox]')
    await page.click('dialog button', 'Upload')
    await expect.poll(received).toBeGreaterThan(before + 1)
    await page.goto('about:blank')
    proxy.setDeadAfter()

    // A second cut, of the network alone, comes while it goes on.
    proxy.cuts.push(3 * MIB)
    await page.goto(`${proxy.url}/console/store`)
    await page.click('.job a', 'Order of')
    await page.type('.notice input[type=file]', join(folder, film))
    await page.see('h1', 'Pay on')
    expect(proxy.cuts).toEqual([])
  })

  it('shows what to pay, that it was seen, and that the file is stored', async () => {
    await page.see('a[href*="?amount="]')
    const link = String(await page.read(`document.querySelector('a[href*="?amount="]').href`))
    const [, scheme = '', address, amount] = /^(\w+):(\w+)\?amount=([\d.]+)/.exec(link) ?? []
    const blockchain = scheme.charAt(0).toUpperCase() + scheme.slice(1)
    if (!isBlockchain(blockchain)) throw new Error(`no chain in ${link}`)
    connect(worker.chains.devnet, blockchain)('sendtoaddress', address, amount)
    await page.see('h1', '1 file is on IPFS')
  })

  it('lists the file in the library and opens it', async () => {
    await page.goto(`${proxy.url}/console/library`)
    await page.click('a', film)
    await page.see('h1', film)
    expect(await page.read('document.body.innerText')).toContain('IPFS')
  })
})

/** How many pieces of uploads the service holds. */
async function received(): Promise<number> {
  const bucket = await worker.miniflare.getR2Bucket('BUCKET')
  return (await bucket.list({ prefix: 'chunks/' })).objects.length
}
