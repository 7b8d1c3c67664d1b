import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isBlockchain } from '../../protocol/chains.ts'
import { connect } from '../kit/call-devnet.ts'
import { type CuttingProxy, startCuttingProxy } from '../kit/cutting-proxy.ts'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { launchWebKit, type WebKit } from './launch-web-kit.ts'
import type { WebDriverPage } from './web-driver.ts'

const MIB = 2 ** 20
const EMAIL = 'ada@example.com'

let worker: RunningWorker
let proxy: CuttingProxy
let webKit: WebKit
let page: WebDriverPage
let folder: string
let film: string
let mining: ReturnType<typeof setInterval>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-film-'))
  film = join(folder, 'film.mp4')
  await writeFile(film, randomBytes(10 * MIB))
  ;[worker, webKit] = await Promise.all([startWorker(), launchWebKit()])
  page = webKit.page
  proxy = await startCuttingProxy(worker.url)
  mining = setInterval(() => worker.chains.devnet.mineWaiting(), 1000)
  await signUp(worker, EMAIL)
})
afterAll(async () => {
  clearInterval(mining)
  await webKit?.close()
  await proxy?.close()
  await worker?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Chooses the film, its target and that it is meant, and begins to upload it. */
async function beginUpload(): Promise<void> {
  await page.goto(`${proxy.url}/console/store`)
  await page.type('input[type=file]:not([webkitdirectory])', film)
  await page.click('label', 'On IPFS')
  await page.click('button', 'Upload 1 file')
  await page.click('dialog input[type=checkbox]')
  await page.click('dialog button', 'Upload')
}

const received = async () => {
  const bucket = await worker.miniflare.getR2Bucket('BUCKET')
  return (await bucket.list({ prefix: 'chunks/' })).objects.length
}

describe('the console in WebKit', () => {
  it('signs in, with nothing of the session where a script reads it', async () => {
    await page.goto(`${proxy.url}/console`)
    await page.type('input[type=email]', EMAIL)
    await page.type('input[type=password]', PASSWORD)
    await page.click('button', 'Sign in')
    await page.see('h1', 'Store')
    expect(await page.run('return document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}')
  })

  it('goes on with an upload that a dead line and a reload interrupted, by the same file', async () => {
    proxy.setDeadAfter(4 * MIB)
    await beginUpload()
    await expect.poll(received).toBeGreaterThan(1)
    await page.goto('about:blank')
    proxy.setDeadAfter()

    // A second cut, of the network alone, comes while it goes on.
    proxy.cuts.push(3 * MIB)
    await page.goto(`${proxy.url}/console/store`)
    await page.click('.job a', 'Order of')
    await page.type('.notice input[type=file]', film)
    await page.see('h1', 'Pay on')
    expect(proxy.cuts).toEqual([])
  })

  it('shows what to pay, that it was seen, and that the file is stored', async () => {
    const link = String(await page.until('return document.querySelector(\'a[href*="?amount="]\')?.href'))
    const [, scheme = '', address, amount] = /^(\w+):(\w+)\?amount=([\d.]+)/.exec(link) ?? []
    const blockchain = scheme.charAt(0).toUpperCase() + scheme.slice(1)
    if (!isBlockchain(blockchain)) throw new Error(`no chain in ${link}`)
    connect(worker.chains.devnet, blockchain)('sendtoaddress', address, amount)
    await page.see('h1', '1 file is on IPFS')
  })

  it('lists the file in the library and opens it', async () => {
    await page.goto(`${proxy.url}/console/library`)
    await page.click('a', 'film.mp4')
    await page.see('h1', 'film.mp4')
    expect(await page.text()).toContain('IPFS')
  })
})
