import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importFile } from 'ipfs-unixfs-importer'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DisconnectingProxy, startDisconnectingProxy } from '../kit/disconnecting-proxy.ts'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { type PickedFile, pickFiles } from '../kit/pick-files.ts'
import { PASSWORD } from '../kit/sign-up.ts'
import { tempFile } from '../kit/temp-folder.ts'
import { dropAndChoose, makeAccount, payByFaucet, signInAtConsole, upload } from '../kit/use-console.ts'
import { browser, EMAIL, openService, worker } from './open-service.ts'

const MIB = 2 ** 20
/** From the first page to the picture on a page, mining included. */
const TWO_MINUTES = 120_000

let proxy: DisconnectingProxy
let page: Page
let pages: PageServer

// As often as `npm start` makes a block.
openService({ settings: () => ({}), blockMs: 2000, account: 'user', opens: 'browser' })
beforeAll(async () => {
  pages = await startPageServer()
  proxy = await startDisconnectingProxy(worker.url)
})
afterAll(async () => {
  await pages.close()
  await proxy.close()
})

async function newPage(): Promise<Page> {
  return await (await browser.newContext()).newPage()
}

async function signIn(): Promise<void> {
  await page.goto(`${proxy.url}/console`)
  await signInAtConsole(page, EMAIL, PASSWORD)
}

/** Chooses files, or a folder, and the target, and goes through to the upload. */
async function choose(target: string, files: string | PickedFile[]) {
  await page.goto(`${proxy.url}/console/store`)
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  await pickFiles(page, files)
  await page.getByRole('radio', { name: target }).check({ force: true })
  await upload(page)
}

/** What the README's five lines for the console name on the screen, line by line. */
function readmeNames(): string[][] {
  const [, lines = ''] =
    /\*\*The console\*\*[^\n]*\n\n((?:(?:\d\.| {2}) [^\n]*\n)+)/.exec(readFileSync('README.md', 'utf8')) ?? []
  return lines
    .trim()
    .split(/\n(?=\d)/)
    .map((line) => [...line.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name))
}

describe('from the first page to the picture', () => {
  it('takes less than two minutes, by what is on the screen alone', { timeout: TWO_MINUTES + 180_000 }, async () => {
    // What is pressed and read below, in this order.
    expect(readmeNames()).toEqual([
      ['Make an account', 'Make the account'],
      ['Read the mail in the outbox of this machine', 'Yes, confirm it'],
      ['Drop files or folders here', 'Permanent, on Nativecoin'],
      ['Upload 1 file', 'Pay from the faucet of this machine'],
      ['1 file is in the chain'],
    ])
    const began = performance.now()
    const tab = await newPage()
    const email = `grace-${randomBytes(4).toString('hex')}@example.com`
    const account = { firstName: 'Grace', lastName: 'Hopper', email, password: PASSWORD }
    await makeAccount(tab, `${worker.url.replace('127.0.0.1', 'localhost')}/console`, account)
    await dropAndChoose(tab, ['examples/picture.jpg'], 'Permanent, on Nativecoin')
    await upload(tab)
    await tab.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
    await payByFaucet(tab)

    await tab.getByRole('heading', { level: 1, name: '1 file is in the chain' }).waitFor({ timeout: 180_000 })
    await tab.getByText('Verified in this browser at').waitFor()
    // No checkpoint is built in here.
    await tab.getByText('That it is mined is what this service says', { exact: false }).waitFor()
    const width = (image: Element) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)
    expect(await tab.locator('.print img').evaluate(width)).toBe(1280)

    const snippet = (await tab.locator('pre').textContent()) ?? ''
    const reader = await newPage()
    await reader.goto(pages.serve({ body: `<!doctype html><title>A page</title>${snippet}` }))
    await reader.locator('img[data-state=ready]').waitFor()
    expect(await reader.locator('img').evaluate(width)).toBe(1280)
    expect(performance.now() - began).toBeLessThan(TWO_MINUTES)
    await tab.context().close()
    await reader.context().close()
  })
})

describe('an upload to the running service', { timeout: 300_000 }, () => {
  /** Part of the names of a test's files: one that is run again finds what it left the first time, and nothing else. */
  let own: string
  beforeEach(async () => {
    own = randomBytes(4).toString('hex')
    proxy.cuts.length = 0
    proxy.setDeadAfter()
    page = await newPage()
    await signIn()
  })
  afterEach(() => page.context().close())

  it('console 13: sends again only the chunks that were under way when the network was cut', async () => {
    const content = randomBytes(20 * MIB)
    const chunks: number[] = []
    page.on('request', (request) => {
      const [, index] = /\/chunk\/(\d+)$/.exec(request.url()) ?? []
      if (request.method() === 'PUT' && index !== undefined) chunks.push(Number(index))
    })
    const before = proxy.passed
    proxy.cuts.push(6 * MIB + 12_345)
    await choose('On IPFS', [{ name: `film-${own}.mp4`, buffer: content }])
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
    expect(proxy.cuts).toEqual([])
    expect(chunks.toSorted((a, b) => a - b).filter((index, place, all) => index !== all[place - 1])).toEqual(
      Array.from({ length: 20 }, (_, index) => index),
    )
    // A browser sends the same request again by itself where a connection that it used before is lost.
    expect(chunks.length).toBeLessThanOrEqual(24)
    // Headers and the other requests of the page are counted too.
    expect(proxy.passed - before).toBeLessThan(24 * MIB)
    expect(await cidOf(`film-${own}.mp4`)).toBe(await cidOfBytes(content))
  })

  it('console 16, 18 and 19: is taken on by another browser with the same file, only by who signs in', async () => {
    const name = `talk-${own}.mp4`
    const content = randomBytes(12 * MIB)
    // The tab is closed before the last three of twelve chunks arrive.
    await page.route(/\/chunk\/(9|10|11)$/, (route) => route.abort())
    const held = new Set<string>()
    page.on('response', (response) => {
      if (response.ok() && /\/chunk\/\d$/.test(response.url())) held.add(response.url())
    })
    await choose('On IPFS', [{ name, buffer: content }])
    await expect.poll(() => held.size).toBe(9)
    await page.context().close()

    page = await newPage()
    expect((await page.request.fetch(`${proxy.url}/v0/upload`)).status()).toBe(401)
    await signIn()
    await page
      .getByText(/^Waiting for your file: we hold \d+\.\d of 12\.6\sMB$/)
      .first()
      .waitFor()
    await page.getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 1, name: 'Waiting for your file' }).waitFor()
    const input = page.locator('input[type=file]:not([webkitdirectory])')
    await input.setInputFiles(await tempFile(name, randomBytes(12 * MIB)))
    await page
      .getByText(/This is another file than the one that was begun/)
      .first()
      .waitFor()
    const before = proxy.passed
    await input.setInputFiles(await tempFile(name, content))
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
    expect(proxy.passed - before).toBeLessThan(4 * MIB)
    expect(await cidOf(name)).toBe(await cidOfBytes(content))
  })

  it('console 3 and 4: makes one website of a folder of 101 files, equal ones included, and again its next version', async () => {
    const root = await mkdtemp(join(tmpdir(), 'hookline-site-'))
    const folder = join(root, `site-${own}`)
    await mkdir(join(folder, 'pages'), { recursive: true })
    await writeFile(join(folder, 'index.html'), '<h1>Here</h1>')
    for (let n = 0; n < 50; n++) {
      await writeFile(join(folder, `${n}.html`), `page ${n}`)
      await writeFile(join(folder, 'pages', `${n}.html`), `page ${n}`)
    }
    await choose('On IPFS', folder)
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
    // 28.2: the folder again, under its name, is its next version.
    await writeFile(join(folder, 'index.html'), '<h1>Here, the second time</h1>')
    await choose('On IPFS', folder)
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
    await rm(root, { recursive: true })
    const versions = await query<{ cid: string }>(
      `SELECT cid FROM items WHERE directory_of IS NOT NULL AND name = 'site-${own}'`,
    )
    expect(new Set(versions.results.map(({ cid }) => cid)).size).toBe(2)
    const { results } = await query<{ files: number }>(
      `SELECT COUNT(*) AS files FROM items f JOIN items d ON d.id = f.part_of
       WHERE d.directory_of IS NOT NULL AND d.name = 'site-${own}' AND f.cid IS NOT NULL`,
    )
    expect(results[0]?.files).toBe(202)
  })

  it('console 12: removes what was sent when an order is stopped', async () => {
    proxy.setDeadAfter(2 * MIB)
    await choose('On IPFS', [{ name: `gone-${own}.mp4`, buffer: randomBytes(30 * MIB) }])
    const idsOf = async () =>
      (await query<{ id: string }>(`SELECT id FROM items WHERE name = 'gone-${own}.mp4'`)).results
    await expect.poll(async () => (await chunksOf(await idsOf())).length).toBeGreaterThan(2)
    const ids = await idsOf()
    await page.getByRole('button', { name: 'Stop and remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove 1 file' }).click()
    const left = async () =>
      (await query(`SELECT id FROM items WHERE name = 'gone-${own}.mp4' AND removed_at IS NULL`)).results
    await expect.poll(left).toEqual([])
    proxy.setDeadAfter()
    const jobs = await worker.miniflare.getWorker()
    const leftAfterSweep = async () => {
      await jobs.scheduled({ cron: '* * * * *' })
      return await chunksOf(ids)
    }
    await expect.poll(leftAfterSweep).toEqual([])
  })
})

async function query<Row extends object>(sql: string): Promise<{ results: Row[] }> {
  return await (await worker.miniflare.getD1Database('DB')).prepare(sql).all<Row>()
}

async function chunksOf(items: readonly { id: string }[]): Promise<string[]> {
  const bucket = await worker.miniflare.getR2Bucket('BUCKET')
  const pages = await Promise.all(items.map(({ id }) => bucket.list({ prefix: `chunks/${id}` })))
  return pages.flatMap(({ objects }) => objects.map(({ key }) => key))
}

async function cidOf(name: string): Promise<string | undefined> {
  const { results } = await query<{ name: string; cid: string }>('SELECT name, cid FROM items WHERE removed_at IS NULL')
  return results.find((row) => row.name === name)?.cid
}

async function cidOfBytes(content: Uint8Array): Promise<string> {
  const { cid } = await importFile({ content }, { put: async (each) => each }, { profile: 'unixfs-v1-2025' })
  return cid.toString()
}
