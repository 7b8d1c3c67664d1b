import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DisconnectingProxy, startDisconnectingProxy } from '../../kit/disconnecting-proxy.ts'
import { launchChromium } from '../../kit/launch-browser.ts'
import { type PageServer, startPageServer } from '../../kit/page-server.ts'
import { signUp } from '../../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../../kit/start-worker.ts'
import { clientScript, type UploadSettings } from './client-pages.ts'
import { writeLargeFile } from './large-file.ts'

const MIB = 2 ** 20
const SIZE = 24 * MIB + 12_345
/** Bytes after which the network is dead until the page is loaded anew. */
const DEAD_AFTER = 14 * MIB

let folder: string
let worker: RunningWorker
let proxy: DisconnectingProxy
let pages: PageServer
let browser: Browser
let settings: UploadSettings

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-clients-'))
  pages = await startPageServer()
  const variables = { CONSOLE_ORIGINS: pages.origin }
  ;[worker, browser] = await Promise.all([startWorker({ variables }), launchChromium()])
  proxy = await startDisconnectingProxy(worker.url)
  settings = { endpoint: `${proxy.url}/v0/upload`, token: await signUp(worker, 'ada@example.com') }
})
afterAll(async () => {
  await browser?.close()
  await proxy?.close()
  await pages?.close()
  await worker?.close()
  await rm(folder, { recursive: true, force: true })
})

/** The SHA-256 that the merge of an upload found. */
async function mergedDigest(id: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${settings.token}` }
  const db = await worker.miniflare.getD1Database('DB')
  await expect
    .poll(async () => (await fetch(`${worker.url}/v0/item/${id}/merge`, { method: 'POST', headers })).status)
    .toBe(200)
  return (await db.prepare('SELECT sha256 FROM items WHERE id = ?').bind(id).first())?.sha256
}

describe('an upload by a client from npm, in a browser', () => {
  it.each(['tus-js-client', 'Uppy'] as const)('is resumed by %s where a reload interrupted it', async (client) => {
    const path = join(folder, `${client}.bin`)
    const sha256 = await writeLargeFile(path, SIZE, client.length)
    const script = pages.serve({ body: await clientScript(client), type: 'text/javascript' })
    const body = `<!doctype html><title></title><body><input type="file"><script type="module" src="${script}"></script>`
    const page = await (await browser.newContext()).newPage()
    const choose = async () => {
      await page.goto(url)
      await page.evaluate((text) => {
        document.body.dataset.settings = text
      }, JSON.stringify(settings))
      await page.setInputFiles('input', path)
    }
    const url = pages.serve({ body })
    const offsets: number[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
    })

    proxy.setDeadAfter(DEAD_AFTER)
    await choose()
    await expect.poll(() => offsets.length).toBeGreaterThan(2)
    await page.goto('about:blank')
    proxy.setDeadAfter()
    const before = offsets.splice(0)

    await choose()
    await expect.poll(() => page.title()).toMatch(/^(done|failed) /)
    const title = await page.title()
    expect(title).toMatch(/^done /)
    expect(before[0]).toBe(0)
    expect(offsets[0]).toBeGreaterThanOrEqual(before[1] ?? SIZE)
    expect(await mergedDigest(title.slice(5))).toBe(sha256)
    await page.context().close()
  })
})
