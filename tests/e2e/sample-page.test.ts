import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveSamples } from '../../scripts/serve-samples.ts'
import { storeSamples } from '../../scripts/store-samples.ts'
import { launchBrowser } from '../kit/launch-browser.ts'
import { type MeddlingProxy, startMeddlingProxy } from '../kit/meddling-proxy.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'

let worker: RunningWorker
let api: MeddlingProxy
let browser: Browser
let pages: Awaited<ReturnType<typeof serveSamples>>
let stateDir: string

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'hookline-samples-'))
  ;[worker, browser] = await Promise.all([startWorker(), launchBrowser()])
  api = await startMeddlingProxy(worker.url)
  const { miniflare, chains } = worker
  const samples = await storeSamples({
    folder: stateDir,
    openBucket: async () => ({ bucket: await miniflare.getR2Bucket('BUCKET'), close: async () => {} }),
    rpcUrl: chains.url,
    onProgress: () => {},
  })
  chains.devnet.mineWaiting()
  pages = await serveSamples({ samples, baseUrl: api.url, storageHost: 'storage.localhost', port: 0 })
})
afterAll(async () => {
  await browser.close()
  await api.close()
  await worker.close()
  await rm(stateDir, { recursive: true, force: true })
})

/** Opens the page and waits until each of its four pieces is shown or given up; says which. */
async function open(page: Page): Promise<(string | null)[]> {
  await page.goto(pages.url)
  const pieces = page.locator('.Nativecoin, .Bitcoin, .Dogecoin, .IPFS')
  const states = () => pieces.evaluateAll((elements) => elements.map((element) => element.getAttribute('data-state')))
  await expect.poll(states).not.toContain('loading')
  await expect.poll(states).not.toContain(null)
  return states()
}

async function expectWhole(page: Page): Promise<void> {
  expect(
    await page.locator('img.Nativecoin').evaluate((img) => img instanceof HTMLImageElement && img.naturalWidth),
  ).toBe(1280)
  expect((await page.locator('p.Bitcoin').textContent())?.length).toBeGreaterThan(500)
  expect(await page.frameLocator('iframe.Dogecoin').locator('h1').textContent()).toBe('much page. very chain.')
  const site = page.frameLocator('iframe.IPFS')
  expect(await site.locator('h1').first().textContent()).toBeTruthy()
  expect(await page.locator('.proof').allTextContents()).toEqual(
    Array(4).fill(expect.stringContaining('verified here')),
  )
}

const READY = ['ready', 'ready', 'ready', 'ready']

describe('the sample page', () => {
  it('shows nothing when one byte of every transaction and block is altered on the way', async () => {
    api.meddle = (path, body) => {
      if (!path.startsWith('/v0/tx/') && !path.startsWith('/ipfs/')) return undefined
      return body.map((byte, index) => (index === body.length - 50 ? byte ^ 0x20 : byte))
    }
    const context = await browser.newContext()
    const page = await context.newPage()
    expect(await open(page)).toEqual(['error', 'error', 'error', 'error'])
    api.meddle = undefined
    expect(await page.locator('img').evaluate((img) => img instanceof HTMLImageElement && img.src)).toBe('')
    expect(await page.locator('p.Bitcoin').textContent()).toBe('')
    expect(page.frames().map((frame) => frame.url())).toEqual([pages.url, 'about:blank', 'about:blank'])
    expect(await page.locator('.proof').allTextContents()).toEqual(Array(4).fill(expect.stringContaining('not shown')))
    await context.close()
  })

  it('is filled from three chains and IPFS, and again from the database when there is no network', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    expect(await open(page)).toEqual(READY)
    await expectWhole(page)
    // What is shown does not wait for what is kept.
    await page.waitForLoadState('networkidle')

    api.cut = true
    await pages.close()
    expect(await open(page)).toEqual(READY)
    await expectWhole(page)
    await context.close()
  })
})
