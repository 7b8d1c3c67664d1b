import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { CHAINS } from '../../protocol/chains.ts'
import { literalBrotli } from '../../protocol/literal-brotli.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { buildAuthorWorkers } from '../../scripts/build-author-worker.ts'
import { silentWav } from '../kit/silent-wav.ts'
import { storeFiles } from '../kit/store-files.ts'
import { storeBytes, storeContent } from '../kit/write-content.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()
const workers = await buildAuthorWorkers()
for (const name of ['hookline-worker.js', 'hookline-chain-worker.js'] as const)
  lab.pages.serve({ body: workers[name], type: 'text/javascript' }, `/${name}?api=${lab.api.url}`)

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="123" height="45"><rect width="9" height="9"/></svg>'
/** 400 s of silence. */
const SOUND = silentWav(400)
const stored = await storeFiles(lab.worker, { 'a.wav': SOUND, 'b?c.svg': SVG, 'text.wav': 'no sound at all' })
const sound = `${stored.root}/a.wav`
const uncompressed = literalBrotli(once(SOUND), SOUND.length, CHAINS.Nativecoin.maxDataBytes)
const chainSound = storeBytes(lab.worker, 'Nativecoin', await readWhole(uncompressed))

async function* once(bytes: Uint8Array) {
  yield bytes
}

beforeEach(() => {
  lab.api.tamper = undefined
})

/** A page with hook.js and a worker of its own origin. */
function open(body: string, { worker = '/hookline-worker.js', hook = '' } = {}): Promise<Page> {
  const head = `<script src="${worker}?api=${lab.api.url}"></script><script src="${lab.api.url}/hook.js" ${hook}></script>
    <script>const errors = []
    document.addEventListener('hook:error', ({ target, detail }) => errors.push([target.id ?? '', detail.error.code, detail.error.message]))</script>`
  return lab.open(body, { head })
}

/** The page with a worker from its start. */
async function again(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller)
  await page.reload()
}

const tag = (name: string, target: string, src: string, type: string, more = '') =>
  `<${name} id="a" class="${target}" data-mimetype="${type}" data-src="${src}" ${more}></${name}>`

const srcOf = (page: Page) => page.evaluate(() => document.getElementById('a')?.getAttribute('src') ?? '')
const errorsOf = (page: Page) => page.evaluate('errors')

describe("hook.js with the author's worker", () => {
  it('plays a sound on IPFS by a URL of the site at the first visit, and seeks', async () => {
    const page = await open(tag('audio', 'IPFS', sound, 'audio/wav', 'preload="metadata"'))
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled', state: 'ready' }])
    expect(await srcOf(page)).toBe(`${lab.pages.origin}/hookline/ipfs/${sound}?type=audio%2Fwav&hook`)
    expect(await page.evaluate(() => Math.round(document.querySelector('audio')?.duration ?? 0))).toBe(400)
    const seek = page.evaluate(async () => {
      const audio = document.querySelector('audio')
      if (!audio) return undefined
      audio.currentTime = 300
      await new Promise((resolve) => audio.addEventListener('seeked', resolve, { once: true }))
      return audio.currentTime
    })
    expect(await seek).toBe(300)
  })

  it('plays a sound on a chain by its own transactions', async () => {
    const page = await open(tag('audio', 'Nativecoin', chainSound.join(), 'audio/wav', 'preload="metadata"'))
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled', state: 'ready' }])
    expect(await srcOf(page)).toContain(`/hookline/Nativecoin/${chainSound[0]},`)
    expect(await page.evaluate(() => Math.round(document.querySelector('audio')?.duration ?? 0))).toBe(400)
  })

  it('shows a picture by such a URL, of any name, from the second visit on', async () => {
    const page = await open(tag('img', 'IPFS', `${stored.root}/b?c.svg`, 'image/svg+xml', 'srcset="x.png 2x"'))
    await again(page)
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled', state: 'ready' }])
    expect(await srcOf(page)).toContain('/hookline/ipfs/')
    expect(await page.evaluate(() => document.querySelector('img')?.naturalWidth)).toBe(123)
    expect(await page.evaluate(() => document.querySelector('img')?.hasAttribute('srcset'))).toBe(false)
  })

  it('has the error of the worker in one event, and the element as its author wrote it', async () => {
    lab.api.tamper = (path, body) =>
      path.startsWith('/ipfs/') ? body.map((byte, at) => (at === body.length - 1 ? byte ^ 1 : byte)) : undefined
    const page = await open(tag('img', 'IPFS', `${stored.root}/b?c.svg`, 'image/svg+xml', 'src="before.png"'))
    await again(page)
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', state: 'error', code: 'not_verified' }])
    expect(await srcOf(page)).toBe('before.png')
    expect(await errorsOf(page)).toEqual([['a', 'not_verified', expect.stringMatching(/\.$/)]])
  })

  it('tells of a byte that is altered in what it already plays', async () => {
    const altered = SOUND.length - 400_000
    // In the block that has it only the silence is altered.
    lab.api.tamper = (path, body) => (path.includes('entity-bytes') && isLate(path, altered) ? flip(body) : undefined)
    const page = await open(tag('audio', 'IPFS', sound, 'audio/wav', 'preload="metadata"'))
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    await page.evaluate(() => {
      const audio = document.querySelector('audio')
      if (audio) audio.currentTime = 380
    })
    await expect.poll(() => errorsOf(page)).toEqual([['a', 'not_verified', expect.stringMatching(/\.$/)]])
    expect(await page.evaluate(() => document.querySelector('audio')?.getAttribute('data-state'))).toBe('error')
  })

  it('says that no player takes the content, after the worker has said that it is there', async () => {
    const page = await open(tag('audio', 'IPFS', `${stored.root}/text.wav`, 'audio/wav'))
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', code: 'not_showable' }])
    expect(await page.evaluate(() => document.querySelector('audio')?.hasAttribute('src'))).toBe(false)
  })

  const sha256 = createHash('sha256').update(SVG).digest('hex')
  it.each([
    ['with data-sha256', `data-sha256="${sha256}"`, ''],
    ['with data-cache="reload"', 'data-cache="reload"', ''],
    ['with type="chunk"', 'data-type="chunk"', ''],
    ['with sources of its own', 'data-gateways="https://one.example"', ''],
    ['with data-proof', 'data-proof="note"', ''],
    ['with data-proof on the script tag', '', 'data-proof="note"'],
  ])('fills an element %s as without the worker', async (_, more, hook) => {
    const src = storeContent(lab.worker, 'Nativecoin', SVG).join()
    const page = await open(tag('img', 'Nativecoin', src, 'image/svg+xml', more), { hook })
    await again(page)
    expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
    expect(await srcOf(page)).toMatch(/^blob:/)
  })

  it('fills an element as without the worker where the worker at this place is another one', async () => {
    const body = 'onfetch = () => {}; onactivate = (event) => event.waitUntil(clients.claim())'
    lab.pages.serve(
      { body, type: 'text/javascript', headers: { 'Service-Worker-Allowed': '/' } },
      '/other/hookline-worker.js',
    )
    lab.pages.serve({ body, type: 'text/javascript', headers: { 'Service-Worker-Allowed': '/' } }, '/worker.js')
    const src = storeContent(lab.worker, 'Nativecoin', SVG).join()
    for (const script of ['/worker.js', '/other/hookline-worker.js']) {
      const page = await lab.open(tag('img', 'Nativecoin', src, 'image/svg+xml'))
      await page.evaluate(async (url) => {
        const controlled = new Promise((resolve) =>
          navigator.serviceWorker.addEventListener('controllerchange', resolve),
        )
        await navigator.serviceWorker.register(url, { scope: '/' })
        await controlled
      }, script)
      expect(await fill(page, 'Nativecoin')).toMatchObject([{ status: 'filled' }])
      expect(await srcOf(page)).toMatch(/^blob:/)
    }
  })

  it('leaves IPFS to hook.js where the worker is that of chains alone', async () => {
    const page = await open(tag('img', 'IPFS', `${stored.root}/b?c.svg`, 'image/svg+xml'), {
      worker: '/hookline-chain-worker.js',
    })
    await again(page)
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    expect(await srcOf(page)).toMatch(/^blob:/)
  })
})

function isLate(path: string, from: number): boolean {
  return Number(/entity-bytes=(\d+)/.exec(decodeURIComponent(path))?.[1]) >= from - 262_144 * 2
}

/** The last byte is one of the last block's. */
function flip(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return body.map((byte, at) => (at === body.length - 1 ? byte ^ 1 : byte))
}
