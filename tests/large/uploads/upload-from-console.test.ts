import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { median } from '../../../bench/statistics.ts'
import { type DisconnectingProxy, startDisconnectingProxy } from '../../kit/disconnecting-proxy.ts'
import { launchChromium } from '../../kit/launch-browser.ts'
import { PASSWORD, signUp } from '../../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../../kit/start-worker.ts'
import { upload } from '../../kit/use-console.ts'
import { seededNumbers, writeLargeFile } from './large-file.ts'
import { type MemorySample, sampleMemory } from './sample-memory.ts'
import { issuedTokens, shortenTokens } from './short-tokens.ts'

const MIB = 2 ** 20
const SIZE = Number(process.env.UPLOAD_MIB ?? 1024) * MIB
const SEED = 14
const CUTS = 10
const TOKEN_SECONDS = 30
const EMAIL = 'ada@example.com'
/** For machines that are slow and busy, in milliseconds. */
const PATIENCE = 1_200_000
/** By how much memory may usually grow in the second half: far less than the half of the file that arrived meanwhile. */
const GROWTH_MIB = 256

let folder: string
let worker: RunningWorker
let proxy: DisconnectingProxy
let browser: Browser
let page: Page

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-large-'))
  ;[worker, browser] = await Promise.all([startWorker({ stateDir: join(folder, 'state') }), launchChromium()])
  proxy = await startDisconnectingProxy(worker.url)
  page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(120_000)
  await signUp(worker, EMAIL)
})
afterAll(async () => {
  await browser?.close()
  await proxy?.close()
  await worker?.close()
  await rm(folder, { recursive: true, force: true })
})

async function signInAndChoose(path: string): Promise<void> {
  await page.goto(`${proxy.url}/console`)
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', path)
  await page.getByRole('radio', { name: 'On IPFS' }).check({ force: true })
}

/** Bytes from one cut of the network to the next: one in each tenth of the file, at a byte that the seed chose. */
function cutDistances(): number[] {
  const share = SIZE / CUTS
  const places = seededNumbers(SEED, CUTS, 1, share).map((byte, index) => Math.floor(index * share + byte))
  return places.map((place, index) => place - (places[index - 1] ?? 0))
}

/** Median and peak in MiB. */
const usual = (samples: readonly MemorySample[], what: 'page' | 'workerd') =>
  Math.round(median(samples.map((sample) => sample[what])) / MIB)
const peak = (samples: readonly MemorySample[], what: 'page' | 'workerd') =>
  Math.round(Math.max(0, ...samples.map((sample) => sample[what])) / MIB)

describe('an upload of 1 GiB by the console', () => {
  it('console 14: arrives whole over ten cuts, with tokens of 30 s, in memory that does not grow', {
    timeout: PATIENCE,
  }, async () => {
    const path = join(folder, 'film.mp4')
    const sha256 = await writeLargeFile(path, SIZE, SEED)
    await shortenTokens(page, TOKEN_SECONDS)
    await signInAndChoose(path)
    const before = proxy.passed
    proxy.cuts.push(...cutDistances())
    const memory = await sampleMemory(browser, () => (proxy.passed - before) / SIZE)
    const began = performance.now()
    await upload(page)
    // The heading is shown once the whole is uploaded and merged.
    await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor({ timeout: PATIENCE })
    const seconds = Math.round((performance.now() - began) / 1000)
    memory.stop()

    const db = await worker.miniflare.getD1Database('DB')
    expect(await db.prepare('SELECT size, sha256 FROM items').first()).toEqual({ size: SIZE, sha256 })
    expect(proxy.cuts).toEqual([])
    expect(await issuedTokens(page)).toBeGreaterThan(1)

    // Of a cut chunk, what had arrived is sent again, besides the headers of each request.
    const twice = (proxy.passed - before - SIZE) / MIB
    expect(twice).toBeLessThan(CUTS + (2000 * SIZE) / MIB / MIB)

    const phases = {
      first: memory.samples.filter(({ share }) => share < 0.5),
      second: memory.samples.filter(({ share }) => share >= 0.5 && share < 1),
      merging: memory.samples.filter(({ share }) => share >= 1),
    }
    const figures = {
      MiB: SIZE / MIB,
      seconds,
      twice: Math.round(twice * 10) / 10,
      tokens: await issuedTokens(page),
      ...Object.fromEntries(
        Object.entries(phases).map(([phase, samples]) => [
          phase,
          {
            page: [usual(samples, 'page'), peak(samples, 'page')],
            workerd: [usual(samples, 'workerd'), peak(samples, 'workerd')],
          },
        ]),
      ),
    }
    console.log(`upload-from-console ${JSON.stringify(figures)}`)
    for (const what of ['page', 'workerd'] as const) {
      expect(usual(phases.second, what) - usual(phases.first, what)).toBeLessThan(GROWTH_MIB)
    }
  })
})
