import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser } from '../kit/launch-browser.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { storeFiles } from '../kit/store-files.ts'

let worker: RunningWorker
let browser: Browser

beforeAll(async () => {
  ;[worker, browser] = await Promise.all([startWorker(), launchBrowser()])
})
afterAll(async () => {
  await Promise.all([browser.close(), worker.close()])
})

describe('the console as the Worker answers it', () => {
  it('opens at its sign-in page, and its policy refuses nothing of its own', async () => {
    const page = await browser.newPage()
    const violations: string[] = []
    page.on(
      'console',
      (message) => message.text().includes('Content Security Policy') && violations.push(message.text()),
    )
    await page.goto(`${worker.url}/console`)
    await page.getByLabel('Password', { exact: true }).waitFor()
    expect(violations).toEqual([])
    await page.close()
  })

  it('cannot load a script that somebody stored', async () => {
    const { root } = await storeFiles(worker, { 'stored.js': 'globalThis.ranStored = true' })
    const load = `import(${JSON.stringify(`${worker.url}/ipfs/${root}/stored.js`)}).then(() => 'ran', () => 'refused')`
    const page = await browser.newPage()
    await page.goto(`${worker.url}/v0/openapi.json`)
    expect(await page.evaluate(load)).toBe('ran')
    await page.goto(`${worker.url}/console`)
    await page.getByLabel('Password', { exact: true }).waitFor()
    expect(await page.evaluate(load)).toBe('refused')
    expect(await page.evaluate('globalThis.ranStored')).toBeUndefined()
    await page.close()
  })
})
