import { readFileSync } from 'node:fs'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { carBlocks } from '../../reader/ipfs/car-blocks.ts'
import { storeFiles } from '../kit/store-files.ts'
import { fill, useLab } from './lab.ts'

const lab = await useLab()

const dot = (size: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"/>`
const font = readFileSync(new URL('../browsers/fixtures/square.ttf', import.meta.url))
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/** A site of a generator: its pages name a few of its many files, and its style sheets more than any page uses. */
const FILES: Record<string, string | Uint8Array> = {
  'index.html': '<!doctype html><link rel="stylesheet" href="main.css"><h1>home</h1>',
  'api/page.html': `<!doctype html><link rel="stylesheet" href="../main.css"><link rel="stylesheet" href="ui.css">
    <link rel="next" href="0.html"><link rel="search" href="search.html"><link rel="icon" href="../icon.svg">
    <style>.own { background: url(../img/own.svg) }</style>
    <h1 class="own">page</h1> <i class="late"></i> <a href="1.html">one</a> <img src="../img/3.svg" alt="">
    <img alt="" id="chosen" src="../img/4.svg" srcset="../img/5.svg 1x, ../img/6.svg 2x">
    <picture><source media="print" srcset="../img/7.svg"><img alt="" src="../img/8.svg"></picture>
    <noscript><img alt="" src="../img/9.svg"></noscript>
    <script src="run.js"></script><script nomodule src="old.js"></script>`,
  'api/run.js': 'document.body.dataset.ran = "yes"',
  'api/old.js': '',
  'api/search.html': '',
  'api/ui.css': numbers(8)
    .map((n) => `.ui-${n}::before { content: url(../img/1${n}.svg) }`)
    .join('\n'),
  'main.css': `@import "fonts.css"; body { font-family: square-1 } a { background: #fff url("img/0.svg") no-repeat }
    h1:hover { background: url(img/1.svg) } @media print { a { background: url(img/2.svg) } }
    .late.shown { background: url(img/20.svg) }`,
  'fonts.css': numbers(6)
    .map(
      (n) => `@font-face { font-family: square-${n};
        src: url('fonts/${n}.ttf') format('truetype'), url('fonts/${n}.svg') format('svg') }`,
    )
    .join('\n'),
  'icon.svg': dot(1),
  'img/own.svg': dot(30),
}
for (const n of numbers(24)) FILES[`img/${n}.svg`] = dot(n + 1)
for (const n of numbers(6)) FILES[`fonts/${n}.ttf`] = Buffer.concat([font, Buffer.of(n)])
for (const n of numbers(300)) FILES[`api/${n}.html`] = `<!doctype html><h1>page ${n}</h1>`

/** What a browser asks a plain server for to show a page. */
async function askPlainly(path: string): Promise<string[]> {
  const page = await lab.browser.newPage()
  const asked: string[] = []
  await page.route('http://plain.test/**', (route) => {
    const name = new URL(route.request().url()).pathname.slice(1)
    asked.push(name)
    const body = FILES[name]
    const types: Record<string, string> = {
      svg: 'image/svg+xml',
      css: 'text/css',
      html: 'text/html',
      js: 'text/javascript',
    }
    const contentType = types[name.split('.').at(-1) ?? ''] ?? 'font/ttf'
    return route.fulfill(body === undefined ? { status: 404 } : { contentType, body: Buffer.from(body) })
  })
  await page.goto(`http://plain.test/${path}`, { waitUntil: 'networkidle' })
  await page.close()
  return asked.sort()
}

async function* once(body: Uint8Array) {
  yield body
}

/** Shows a page of the site in a frame; returns the page, the requests for IPFS and the blocks that were sent. */
async function show(source: string) {
  const blocks = new Set<string>()
  const requests: string[] = []
  const bodies: Promise<void>[] = []
  lab.api.tamper = (path, body) => {
    if (!path.startsWith('/ipfs/')) return undefined
    requests.push(path)
    const read = async () => {
      if (path.includes('format=raw')) blocks.add(CID.parse(path.split(/[/?]/)[2] ?? '').toString())
      else for await (const { cid } of carBlocks(once(body), 4 << 20)) blocks.add(cid.toString())
    }
    bodies.push(read().catch(() => {}))
    return undefined
  }
  const page = await lab.open(
    `<iframe class="IPFS" type="blob" data-mimetype="text/html" data-src="${source}" width="600" height="400"></iframe>`,
  )
  expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
  await expect.poll(() => lab.api.open.size).toBe(0)
  await Promise.all(bodies)
  const frame = page.frameLocator('iframe').frameLocator('iframe')
  await frame.locator('h1').waitFor()
  return { page, frame, requests, blocks }
}

describe.each([
  ['a plain directory', false],
  ['sharded directories', true],
])('a page of an IPFS site of %s', (_, sharded) => {
  it('is shown by as many requests as a plain server gets, two more at most, and only by the blocks of their paths', async () => {
    const { root, cids } = await storeFiles(lab.worker, FILES, { sharded })
    const plain = await askPlainly('api/page.html')
    const { page, frame, requests, blocks } = await show(`${root}/api/page.html`)
    await page.frames()[2]?.waitForFunction(() => [...document.fonts].some(({ status }) => status === 'loaded'))
    // On a busy machine one may be repeated: its answer was slow.
    expect(new Set(requests).size).toBeLessThanOrEqual(plain.length + 2)
    const named = new Map(Object.entries(cids).map(([path, cid]) => [cid, path]))
    const files = [...blocks].flatMap((cid) => named.get(cid) ?? []).filter((path) => path.includes('.'))
    expect(files.sort()).toEqual(plain)
    // The folders, and of sharded ones the shards on the way, are not files.
    expect(blocks.size).toBeLessThan(files.length + (sharded ? 40 : 6))
    expect(await frame.locator('body').getAttribute('data-ran')).toBe('yes')
    expect(await frame.locator('#chosen').evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(6)
    expect(await frame.locator('h1').evaluate((h1) => getComputedStyle(h1).backgroundImage.slice(0, 9))).toBe(
      'url("blob',
    )
  })
})

describe('a page of an IPFS site', () => {
  it('loads what its style sheets name once it is used', async () => {
    const { root } = await storeFiles(lab.worker, FILES)
    const { page, frame, requests } = await show(`${root}/api/page.html`)
    await page.frames()[2]?.waitForFunction(() => [...document.fonts].some(({ status }) => status === 'loaded'))
    const before = requests.length
    const late = frame.locator('.late')
    expect(await late.evaluate((element) => getComputedStyle(element).backgroundImage)).toBe('none')
    await late.evaluate((element) => element.classList.add('shown'))
    await expect
      .poll(() => late.evaluate((element) => getComputedStyle(element).backgroundImage.slice(0, 9)))
      .toBe('url("blob')
    await frame.locator('h1').hover()
    await expect.poll(() => requests.length).toBe(before + 2)
  })

  it('opens another page by the requests of that page', async () => {
    const { root } = await storeFiles(lab.worker, FILES)
    const { frame, requests } = await show(`${root}/api/page.html`)
    const before = requests.length
    await frame.locator('a').click()
    await frame.getByText('page 1', { exact: true }).waitFor()
    expect(requests.length).toBe(before + 1)
  })

  it.each(['', '/', '/index.html'])(
    'is the index.html of a directory, which needs one request more: %s',
    async (path) => {
      const { root } = await storeFiles(lab.worker, FILES)
      const { frame, requests } = await show(root + path)
      await frame.getByText('home').waitFor()
      expect(requests.length).toBeLessThanOrEqual((await askPlainly('index.html')).length + 1)
    },
  )

  it('comes block by block from a gateway that sends no CAR', async () => {
    const { root } = await storeFiles(lab.worker, FILES)
    const page = await lab.open(
      `<iframe class="IPFS" data-mimetype="text/html" data-src="${root}/api/page.html"></iframe>`,
    )
    const cars: string[] = []
    lab.api.tamper = (path) => {
      if (!path.includes('format=car')) return undefined
      cars.push(path)
      return 501
    }
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'filled' }])
    await page.frameLocator('iframe').frameLocator('iframe').locator('h1').waitFor()
    // It is asked for the first file, and for none of the others.
    expect(cars.length).toBe(1)
  })

  it('is not shown where a file that it uses was altered on the way', async () => {
    const { root, cids } = await storeFiles(lab.worker, FILES)
    const page = await lab.open(
      `<iframe class="IPFS" data-mimetype="text/html" data-src="${root}/api/page.html"></iframe>`,
    )
    lab.api.tamper = (path, body) =>
      path.includes(cids['img/3.svg'] ?? '') || path.includes('img/3.svg') || path.includes('3.svg')
        ? body.with(-1, (body.at(-1) ?? 0) ^ 1)
        : undefined
    expect(await fill(page, 'IPFS')).toMatchObject([{ status: 'failed', code: 'not_verified' }])
    lab.api.tamper = undefined
  })
})
