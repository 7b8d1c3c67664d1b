import { brotliCompressSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../tests/kit/launch-browser.ts'
import { startPageServer } from '../../tests/kit/page-server.ts'
import { storeFile } from '../../tests/kit/store-files.ts'
import { storeItem } from '../../tests/kit/store-item.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import { embedSnippet } from '../../worker/features/items/embed-snippet.ts'
import type { Bench } from '../bench.ts'
import { pairedRow, type Row } from '../row.ts'
import { samplePng } from '../sample-image.ts'
import { startProduct } from '../start-product.ts'

/** About 53 KB. */
const SIDE = 133
const SIZE = { width: 1280, height: 720 }
/** Lighthouse's "slow 4G". */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 750_000 / 8 }

/** When the largest contentful paint was a picture, in ms. Evaluated in the page. */
const PICTURE_PAINTED = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.element?.localName === 'img') resolve(entry.startTime)
  }).observe({ type: 'largest-contentful-paint', buffered: true })
})`

/** The largest contentful paint of one picture by the snippet, compared with `<img src>` of the same bytes. */
export async function measureFirstPicture(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench)
  const pages = await startPageServer()
  const browser = await launchBrowser()
  try {
    const baseUrl = new URL(`http://127.0.0.1:${product.port}`)
    const picture = samplePng(SIDE, 'first picture')
    const txids = writeToNode(bench.devnet.devnet.node('Nativecoin'), brotliCompressSync(picture))
    const db = await product.miniflare.getD1Database('DB')
    const item = await storeItem(db, { blockchain: 'Nativecoin', mimetype: 'image/png', txids })
    const cid = await storeFile(product.miniflare, picture)
    const page = (body: string) =>
      pages.serve({
        body: `<!doctype html><meta charset="utf-8"><title>A picture</title>
          <style>img { max-width: 100%; height: auto }</style><body>${body}<p>Text below it.`,
      })
    const plain = (url: string) => page(`<img src="${new URL(url, baseUrl).href}" width="1280" height="720" alt="A">`)
    const embedded = (blockchain: 'Nativecoin' | 'IPFS', sources: readonly string[]) =>
      page(embedSnippet({ baseUrl, blockchain, sources, mimetype: 'image/png', name: 'A', size: SIZE }))
    const urls = {
      plainChain: plain(`/v0/content/${item}`),
      chain: embedded('Nativecoin', txids),
      plainIpfs: plain(`/ipfs/${cid}`),
      ipfs: embedded('IPFS', [cid]),
    }
    const times = { plainChain: [] as number[], chain: [] as number[], plainIpfs: [] as number[], ipfs: [] as number[] }
    // The first round fills the Worker's caches.
    for (let round = -1; round < 5; round++) {
      bench.progress(`first picture: round ${round + 1} of 5`)
      for (const way of ['plainChain', 'chain', 'plainIpfs', 'ipfs'] as const) {
        const ms = await largestPaint(browser, urls[way])
        if (round >= 0) times[way].push(ms)
      }
    }
    const row = {
      group: 'The page helper on slow 4G',
      unit: 'ms',
      better: 'lower' as const,
      target: 2,
      limitWhat: 'plain <img src>',
    }
    const pairs = (ours: readonly number[], limit: readonly number[]) =>
      ours.map((value, index) => ({ value, limit: limit[index] ?? Number.NaN }))
    return [
      pairedRow(
        { ...row, id: 'hook/lcp', what: 'largest paint: a picture of a chain, first visit' },
        pairs(times.chain, times.plainChain),
      ),
      pairedRow(
        { ...row, id: 'hook/lcp-ipfs', what: 'largest paint: a picture of IPFS, first visit' },
        pairs(times.ipfs, times.plainIpfs),
      ),
    ]
  } finally {
    await browser.close()
    await pages.close()
    await product.close()
  }
}

async function largestPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 } })
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', SLOW_4G)
    await page.goto(url)
    return await page.evaluate<number>(PICTURE_PAINTED)
  } finally {
    await context.close()
  }
}
