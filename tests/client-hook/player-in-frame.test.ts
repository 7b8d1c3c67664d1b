import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { CHAINS } from '../../protocol/chains.ts'
import { literalBrotli } from '../../protocol/literal-brotli.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { startRecordingFront } from '../kit/recording-front.ts'
import { silentWav } from '../kit/silent-wav.ts'
import { storeFiles } from '../kit/store-files.ts'
import { storeBytes } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()
const front = await startRecordingFront(lab.worker.url)
afterAll(() => front.close())

/** 1,000 s of noise: no two blocks are the same. */
const SOUND = silentWav(1000)
SOUND.set(randomBytes(SOUND.length - 44), 44)
const stored = await storeFiles(lab.worker, { 'a.wav': SOUND })
const onIpfs = `${stored.root}/a.wav`
const uncompressed = literalBrotli(once(SOUND), SOUND.length, CHAINS.Nativecoin.maxDataBytes)
const onChain = storeBytes(lab.worker, 'Nativecoin', await readWhole(uncompressed)).join()

async function* once(bytes: Uint8Array) {
  yield bytes
}

let fetched = 0
beforeEach(() => {
  fetched = 0
  lab.api.tamper = (path, body) => {
    if (/^\/(ipfs|v0)\//.test(path)) fetched += body.length
    return undefined
  }
})

const open = (body: string) =>
  lab.open(body, {
    head: `<script src="${lab.api.url}/hook.js" data-frames="storage.localhost:${front.port}"></script>
      <script>const errors = []
      document.addEventListener('hook:error', ({ target, detail }) => errors.push([target.localName, detail.error.code]))</script>`,
  })

/** The frame that the player is in. */
const player = (page: Page) => {
  const found = page.frames()[2]
  if (!found) throw new Error('there is no inner frame')
  return found
}
const durationOf = (page: Page) =>
  player(page).evaluate(() => Math.round(document.querySelector('audio')?.duration ?? 0))
const seek = (page: Page, to: number) =>
  player(page).evaluate(async (time) => {
    const audio = document.querySelector('audio')
    if (!audio) return 'no player'
    const outcome = new Promise((resolve) => {
      audio.addEventListener('seeked', () => resolve(audio.currentTime), { once: true })
      audio.addEventListener('error', () => resolve('error'), { once: true })
    })
    audio.currentTime = time
    return await outcome
  }, to)

describe('media of more than 4 MiB in a frame', () => {
  it.each([
    [
      'an iframe from IPFS',
      'IPFS',
      `<iframe id="a" class="IPFS" data-mimetype="audio/wav" data-src="${onIpfs}"></iframe>`,
    ],
    ['a div from IPFS', 'IPFS', `<div id="a" class="IPFS" data-mimetype="audio/wav" data-src="${onIpfs}">before</div>`],
    [
      'an iframe from a chain',
      'Nativecoin',
      `<iframe id="a" class="Nativecoin" data-mimetype="audio/wav" data-src="${onChain}"></iframe>`,
    ],
  ] as const)('has a player in %s, which seeks and reads no more than it plays', async (_, target, body) => {
    const page = await open(body)
    expect(await fill(page, target)).toMatchObject([{ id: 'a', status: 'filled', state: 'ready' }])
    await expect.poll(() => durationOf(page)).toBe(1000)
    expect(await seek(page, 900)).toBe(900)
    expect(fetched).toBeLessThan(SOUND.length / 2)
    expect(await page.evaluate('errors')).toEqual([])
  })

  it('stops at an altered block, which is told on the element', async () => {
    const at = 6_000_000
    const bytes = Buffer.from(SOUND.subarray(at, at + 16))
    lab.api.tamper = (path, body) => {
      if (!path.startsWith('/ipfs/')) return undefined
      const found = Buffer.from(body).indexOf(bytes)
      return found < 0 ? undefined : body.map((byte, index) => (index === found ? byte ^ 1 : byte))
    }
    const page = await open(`<iframe class="IPFS" data-mimetype="audio/wav" data-src="${onIpfs}"></iframe>`)
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    await expect.poll(() => durationOf(page)).toBe(1000)
    void seek(page, 750).catch(() => {})
    await expect.poll(() => page.evaluate('errors.at(0)')).toEqual(['iframe', 'not_verified'])
  })

  it('is shown whole where there is no host for the frame', async () => {
    const page = await lab.open(`<div class="IPFS" data-mimetype="audio/wav" data-src="${onIpfs}">before</div>`, {
      head: `<script src="${lab.api.url}/hook.js" data-frames="127.0.0.1:1"></script>`,
    })
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    await expect
      .poll(() => page.evaluate(() => document.querySelector('audio')?.getAttribute('src') ?? ''))
      .toMatch(/^blob:/)
  })
})
