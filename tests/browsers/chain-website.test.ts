/// <reference path="../../client/wasm.d.ts" />
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClient, type Item, memoryStateStore } from '../../client/index.ts'
import { connect } from '../kit/call-devnet.ts'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import type { Engine } from './engine-page.ts'
import { ENGINES } from './engines.ts'
import { largeWebsite } from './large-website.ts'

const FILES = largeWebsite()
const PATHS = [...FILES.keys()]
/** What kubo 0.43.1 computes for these files (`ipfs add -r`, profile `unixfs-v1-2025`). */
const CID = 'bafybeibnukjnelbp4rexzsprdqmhbhwl5z2cesamfxpfh4wbze6jmsnchi'
/** What the frame has of each file that it loads unchanged, in the order of the page. */
const SHOWN = {
  '.js': `[...document.scripts].map(({ src }) => src)`,
  '.bmp': `[...document.images].map(({ src }) => src)`,
}

let worker: RunningWorker
let pages: PageServer
let item: Item

beforeAll(async () => {
  ;[worker, pages] = await Promise.all([startWorker(), startPageServer()])
  const { devnet } = worker.chains
  const mining = setInterval(() => devnet.mineWaiting(), 200)
  const client = createClient({
    api: worker.url,
    key: await signUp(worker, 'ada@example.com'),
    state: memoryStateStore(),
  })
  const files = [...FILES].map(([path, content]) => ({ path, content }))
  const { items, failed } = await client.put(files, {
    to: 'Nativecoin',
    directory: 'almanac',
    wait: true,
    onPayment: ({ address, amount }) => void connect(devnet, 'Nativecoin')('sendtoaddress', address, amount),
  })
  expect(failed).toEqual([])
  item = await vi.waitFor(async () => {
    const found = await client.items.get(items[0]?.id ?? '')
    if (!found.index) throw new Error('the transaction of the index is not deep enough yet')
    return found
  }, 60_000)
  clearInterval(mining)
})
afterAll(async () => {
  await pages?.close()
  await worker?.close()
})

/** Files that one call of a driver carries: some MB as base64 are too much for it. */
const AT_ONCE = 25

/** The bytes of what `urlOf`, an expression of `path`, names: read by the page or the frame itself. */
async function readFiles(read: (expression: string) => Promise<unknown>, urlOf: string, paths: readonly string[]) {
  const found = new Map<string, string>()
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const some = paths.slice(start, start + AT_ONCE)
    const bodies = await read(`Promise.all(${JSON.stringify(some)}.map(async (path) => {
      const body = await (await fetch(${urlOf})).blob()
      return await new Promise((resolve) => {
        const reader = new FileReader()
        reader.onload = () => resolve(reader.result.split(',')[1] ?? '')
        reader.readAsDataURL(body)
      })
    }))`)
    if (!Array.isArray(bodies)) throw new Error('nothing was read')
    for (const [at, path] of some.entries()) found.set(path, String(bodies[at]))
  }
  return found
}

/** Which of the files were read as other bytes than were stored. */
const altered = (found: ReadonlyMap<string, string>) =>
  [...found].filter(([path, body]) => body !== FILES.get(path)?.toString('base64')).map(([path]) => path)

/** What the page of the website reports once its scripts, pictures, styles and font are loaded. */
const LOOKS = `(async () => {
  await document.fonts.load('20px square', 'A')
  return {
    title: document.title,
    ran: window.ran,
    pictures: [...document.images].filter(({ naturalWidth }) => naturalWidth === 120).length,
    color: getComputedStyle(document.querySelector('h1')).color,
    fonts: [...document.fonts].map(({ family, status }) => family.replaceAll('"', '') + ' ' + status),
  }
})()`
const LOOKED = {
  title: 'Almanac',
  ran: 20,
  pictures: PATHS.filter((path) => path.endsWith('.bmp')).length,
  color: 'rgb(1, 2, 3)',
  fonts: ['square loaded'],
}

it('a website of 200 files and 5 MB is one item in one order, with the CID that kubo computes for its folder', () => {
  expect(PATHS).toHaveLength(200)
  expect(item).toMatchObject({ status: '200 OK', mimetype: 'inode/directory', files: 200 })
  expect(item.size).toBeGreaterThan(5_000_000)
  expect(item.txids?.length).toBeGreaterThan(20)
  expect(item.cid).toBe(CID)
})

describe.each(ENGINES)('that website in %s', (_, launch) => {
  let engine: Engine
  beforeEach(async () => {
    engine = await launch()
    return () => engine.close()
  })

  it('runs on its host, where it fetches each of its files byte for byte', async () => {
    const { page } = engine
    await page.goto(`http://${item.id}.storage.localhost:${new URL(worker.url).port}/`)
    await expect.poll(() => page.read(LOOKS)).toEqual(LOOKED)
    expect(altered(await readFiles((expression) => page.read(expression), "'/' + path", PATHS))).toEqual([])
    await page.click('a', 'Page 7')
    await page.see('h1', 'Page 7')
    expect(await page.read('document.title')).toBe('Page 7')
  })

  it.each(['txids', 'index'] as const)(
    'runs in a frame of a page by its %s, with its scripts and pictures byte for byte',
    async (by) => {
      const { page } = engine
      const named = by === 'txids' ? item.txids : item.index
      await page.goto(
        pages.serve({
          body: `<!doctype html><title>page</title><script src="${worker.url}/hook.js" data-frames="none"></script>
          <iframe class="Nativecoin" type="blob" data-mimetype="text/html" data-src="${named}" width="900" height="600"></iframe>`,
        }),
      )
      // No script waits for it, since a driver limits one to 30 s.
      await page.read(`void window.hook('Nativecoin')`)
      await expect.poll(() => page.read(`document.querySelector('iframe').dataset.state`)).toBe('ready')
      await expect.poll(() => page.readInFrame('iframe >> iframe', LOOKS)).toEqual(LOOKED)
      const read = (expression: string) => page.readInFrame('iframe >> iframe', expression)
      for (const [end, urls] of Object.entries(SHOWN)) {
        const paths = PATHS.filter((path) => path.endsWith(end))
        const urlOf = `${urls}[${JSON.stringify(paths)}.indexOf(path)]`
        expect(altered(await readFiles(read, urlOf, paths))).toEqual([])
      }
      await read(`[...document.links].find(({ textContent }) => textContent === 'Page 7').click()`)
      await expect.poll(() => read('document.title')).toBe('Page 7')
    },
  )
})
