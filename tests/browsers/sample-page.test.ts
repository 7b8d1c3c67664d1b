import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { serveSamples } from '../../scripts/serve-samples.ts'
import { type Samples, storeSamples } from '../../scripts/store-samples.ts'
import { startPinnedWorker } from '../kit/start-pinned-worker.ts'
import type { RunningWorker } from '../kit/start-worker.ts'
import { startTamperingProxy, type TamperingProxy } from '../kit/tampering-proxy.ts'
import type { EnginePage } from './engine-page.ts'
import { ENGINES } from './engines.ts'

let worker: RunningWorker
let api: TamperingProxy
let samples: Samples
let stateDir: string

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'hookline-samples-'))
  const pinned = await startPinnedWorker(async (chains, objects) => {
    const bucket = { put: async (key: string, bytes: Uint8Array) => objects.set(key, bytes) }
    const openBucket = async () => ({ bucket, close() {} })
    return await storeSamples({ folder: stateDir, openBucket, rpcUrl: chains.url, onProgress: () => {} })
  })
  worker = pinned
  samples = pinned.stored
  api = await startTamperingProxy(worker.url)
})
afterAll(async () => {
  await api.close()
  await worker.close()
  await rm(stateDir, { recursive: true, force: true })
})

const PIECES = '.Nativecoin, .Bitcoin, .Dogecoin, .IPFS'
/** A picture, a letter, a page, a site; then an inscription, two doginals and two stamps. */
const COUNT = 9

/** Opens the page and waits until each of its elements is filled or has failed; returns their states. */
async function open(page: EnginePage, url: string): Promise<unknown> {
  await page.goto(url)
  const states = () => page.read(`[...document.querySelectorAll('${PIECES}')].map((each) => each.dataset.state ?? '')`)
  await expect.poll(states).toEqual(Array(COUNT).fill(expect.stringMatching(/^(ready|error)$/)))
  return await states()
}

async function expectWhole(page: EnginePage): Promise<void> {
  expect(await page.read(`document.querySelector('img.Nativecoin').naturalWidth`)).toBe(1280)
  expect(await page.read(`document.querySelector('p.Bitcoin').textContent.length`)).toBeGreaterThan(500)
  const heading = `document.querySelector('h1')?.textContent`
  expect(await page.readInFrame('iframe.Dogecoin', heading)).toBe('much page. very chain.')
  expect(await page.readInFrame('iframe.IPFS >> iframe', heading)).toBeTruthy()
  expect(await page.read(PICTURES_OF_OTHERS)).toEqual([
    ['inscription', true, fileOfOthers('inscription.svg')],
    ['doginal-of-parts', true, fileOfOthers('doginal.svg')],
    ['stamp', true, fileOfOthers('stamp.png')],
    ['multisig-stamp', true, fileOfOthers('multisig-stamp.png')],
  ])
  expect(await page.read(`document.querySelector('#doginal').textContent`)).toMatch(/^Such scriptSig/)
  expect(await proofs(page)).toEqual(Array(COUNT).fill(expect.stringContaining('verified here')))
  expect(await page.read(`document.querySelector('p.Bitcoin').closest('figure').innerText`)).toMatch(
    /proven to be in block \d+/,
  )
}

/** Of each picture that others wrote: the id of its element, whether it is shown, and its bytes, as Latin-1. */
const PICTURES_OF_OTHERS = `Promise.all([...document.querySelectorAll('.others img')].map(async ({ id, src, naturalWidth }) => {
  const bytes = await (await fetch(src)).arrayBuffer()
  return [id, naturalWidth > 0, String.fromCharCode(...new Uint8Array(bytes))]
}))`

function fileOfOthers(name: string): string {
  return readFileSync(new URL(`../../examples/others/${name}`, import.meta.url), 'latin1')
}

const proofs = (page: EnginePage) =>
  page.read(`[...document.querySelectorAll('.proof')].map((proof) => proof.textContent)`)

/** The directory, its page, style sheet and picture: other pages of the site are requested when they are opened. */
const BLOCKS_OF_PAGE = 4

/** How many transactions, blocks and proofs the page's database holds. */
const COUNT_RECORDS = `new Promise((resolve) => {
  const opening = indexedDB.open('hookline')
  opening.onsuccess = () => {
    const counting = opening.result.transaction('records').objectStore('records').count()
    counting.onsuccess = () => {
      opening.result.close()
      resolve(counting.result)
    }
  }
})`

describe.each(ENGINES)('the sample page in %s', (_, launch) => {
  async function start() {
    const pages = await serveSamples({ samples, baseUrl: api.url, storageHost: 'storage.localhost', port: 0 })
    onTestFinished(() => pages.close())
    onTestFinished(() => void Object.assign(api, { cut: false, tamper: undefined }))
    const { page, close } = await launch()
    onTestFinished(close)
    return { page, pages }
  }

  it('shows nothing when one byte of every transaction and block is altered on the way', async () => {
    const { page, pages } = await start()
    api.tamper = (path, body) => {
      if (!path.startsWith('/v0/tx/') && !path.startsWith('/ipfs/')) return undefined
      return body.map((byte, index) => (index === body.length - 50 ? byte ^ 0x20 : byte))
    }
    expect(await open(page, pages.url)).toEqual(Array(COUNT).fill('error'))
    api.tamper = undefined
    expect(await page.read(`[...document.images].map(({ src }) => src)`)).toEqual(['', '', '', '', ''])
    expect(
      await page.read(`[...document.querySelectorAll('section > p')].map(({ textContent }) => textContent)`),
    ).toEqual(['', ''])
    for (const frame of ['iframe.Dogecoin', 'iframe.IPFS']) {
      expect(await page.readInFrame(frame, 'location.href + document.body.innerHTML')).toBe('about:blank')
    }
    expect(await proofs(page)).toEqual(Array(COUNT).fill(expect.stringContaining('not shown')))
  })

  it('is filled from three chains and IPFS, and again from the database when there is no network', async () => {
    const { page, pages } = await start()
    const { inscription, doginal, doginalOfParts, stamp, multisigStamp } = samples.others
    // Of the inscription also the transaction that it spends.
    const named = [inscription, inscription, doginal, ...doginalOfParts.split('+'), stamp, multisigStamp]
    const txids = [...samples.picture, ...samples.letter, ...samples.page, ...named]
    expect(await open(page, pages.url)).toEqual(Array(COUNT).fill('ready'))
    await expectWhole(page)
    // What is shown does not wait for the database.
    await expect.poll(() => page.read(COUNT_RECORDS)).toBe(txids.length + samples.letter.length + BLOCKS_OF_PAGE)

    api.cut = true
    await pages.close()
    // A browser loads the page itself from its cache on a navigation, not on a reload.
    await page.goto('about:blank')
    expect(await open(page, pages.url)).toEqual(Array(COUNT).fill('ready'))
    await expectWhole(page)
  })
})
