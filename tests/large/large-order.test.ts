import { writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../kit/launch-browser.ts'
import { PASSWORD, signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { dropAndChoose, payByFaucet, signInAtConsole, upload } from '../kit/use-console.ts'

/**
 * More than one list that is merged and more than one request. The largest order, ORDER_FILES=10000, needs six minutes for
 * its uploads alone: the service accepts 1,800 writes of one client in a minute.
 */
const FILES = Number(process.env.ORDER_FILES ?? 450)
/** Items of one payment request. */
const GROUP = 200
const PAYMENTS = Math.ceil(FILES / GROUP)
const EMAIL = 'ada@example.com'
/** For machines that are slow and busy, in milliseconds. */
const PATIENCE = 1_800_000

let folder: string
let worker: RunningWorker
let browser: Browser
let page: Page
let token: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-order-'))
  ;[worker, browser] = await Promise.all([startWorker({ blockMs: 500 }), launchChromium()])
  page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(PATIENCE)
  token = await signUp(worker, EMAIL)
})
afterAll(async () => {
  await browser?.close()
  await worker?.close()
  await rm(folder, { recursive: true, force: true })
})

it('console 3: hundreds of files on a chain are one order, paid in requests of 200 one after another and followed until all are stored', {
  timeout: PATIENCE,
}, async () => {
  const files = join(folder, 'notes')
  await mkdir(files)
  for (let index = 0; index < FILES; index++) writeFileSync(join(files, `${index}.txt`), `note ${index}`)
  await page.goto(`${worker.url}/console`)
  await signInAtConsole(page, EMAIL, PASSWORD)

  const began = performance.now()
  await dropAndChoose(page, [files], 'Permanent, on Nativecoin')
  await upload(page)
  await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
  const uploaded = performance.now()
  let slowest = 0
  for (let payment = 1; payment <= PAYMENTS; payment++) {
    const waiting = performance.now()
    await page.getByText(`Payment ${payment} of ${PAYMENTS}.`, { exact: false }).waitFor()
    slowest = Math.max(slowest, performance.now() - waiting)
    await payByFaucet(page)
  }
  await page.getByRole('heading', { level: 1, name: /^Writing|in the chain/ }).waitFor()
  const paid = performance.now()
  await page.getByRole('heading', { level: 1, name: `${FILES.toLocaleString('en')} files are in the chain` }).waitFor()
  const stored = performance.now()
  const seconds = (from: number, to: number) => Math.round((to - from) / 1000)
  console.log(
    `large-order: ${FILES} files up and merged in ${seconds(began, uploaded)} s, paid in ${seconds(uploaded, paid)} s ` +
      `(the next payment shown after ${(slowest / 1000).toFixed(1)} s at most), written in ${seconds(paid, stored)} s`,
  )

  const answer = await fetch(`${worker.url}/v0/item/counts`, { headers: { Authorization: `Bearer ${token}` } })
  const { counts, total }: { counts: Record<string, number>; total: number } = JSON.parse(await answer.text())
  expect(total).toBe(FILES)
  expect(counts[200]).toBe(FILES)
})
