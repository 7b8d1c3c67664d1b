import type { Browser } from 'playwright-core'
import { launchChromium, launchFirefox } from '../../tests/kit/launch-browser.ts'
import { startPageServer } from '../../tests/kit/page-server.ts'
import { storeFiles } from '../../tests/kit/store-files.ts'
import { storeItem } from '../../tests/kit/store-item.ts'
import type { Bench } from '../bench.ts'
import { pairedRow, plainRow, type Row } from '../row.ts'
import { samplePng } from '../sample-image.ts'
import { startProduct } from '../start-product.ts'

const PICTURES = 6
/** About 53 KB each. */
const SIDE = 133
const ROUNDS = 9
/** In ms, what a first visit may take more than one of the item's own host. */
const FIRST_MORE = 400
const SECOND_RATIO = 1.5

/** A site of a page, a style sheet, a script and pictures. */
function site(): Record<string, string | Uint8Array> {
  const names = Array.from({ length: PICTURES }, (_, index) => `${index}.png`)
  const pictures = names.map((name) => [name, samplePng(SIDE, name)])
  const tags = names.map((name) => `<img src="${name}" alt="">`).join('')
  const head =
    '<!doctype html><title>A site</title><link rel="stylesheet" href="look.css"><script src="run.js"></script>'
  return {
    'index.html': `${head}${tags}`,
    'look.css': 'img { width: 100px }',
    'run.js': 'document.title += "."',
    ...Object.fromEntries(pictures),
  }
}

/** When a site in a frame of a page has loaded, by the page's helper, compared with the host of the same item. */
export async function measureFirstSite(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench)
  const pages = await startPageServer()
  try {
    const { root } = await storeFiles(product, site())
    const id = await storeItem(await product.miniflare.getD1Database('DB'), { blockchain: 'IPFS', cid: root })
    const size = 'width="900" height="600"'
    const page = (body: string) =>
      pages.serve({ body: `<!doctype html><meta charset="utf-8"><title>A page</title>${body}` })
    const urls = {
      host: page(
        `<iframe src="http://${id}.storage.localhost:${product.port}/" ${size} onload="done = performance.now()"></iframe>`,
      ),
      frame: page(
        `<script>
           var shown = () => hook('IPFS').then(([{ status }]) => { if (status === 'filled') done = performance.now() })
           addEventListener('nodeReady', shown)
         </script>
         <script src="http://127.0.0.1:${product.port}/hook.js" data-frames="storage.localhost:${product.port}" async></script>
         <iframe class="IPFS" data-mimetype="text/html" data-src="${root}" ${size}></iframe>`,
      ),
    }
    const inChromium = await visits(bench, 'Chromium', await launchChromium(), urls)
    // Firefox's driver is that of the browsers' tests: without them it is not here.
    const firefox = await launchFirefox().catch(() => undefined)
    const inFirefox = firefox && (await visits(bench, 'Firefox', firefox, urls))
    return [...rows('Chromium', inChromium, true), ...(inFirefox ? rows('Firefox', inFirefox, false) : [])]
  } finally {
    await pages.close()
    await product.close()
  }
}

type Visits = Record<'first' | 'second', { value: number; limit: number }[]>

function rows(browser: string, { first, second }: Visits, isTarget: boolean): Row[] {
  const row = { group: 'A site in a frame', unit: 'ms', better: 'lower' as const, limitWhat: "the item's own host" }
  const id = `frame-site/${browser.toLowerCase()}`
  return [
    pairedRow({ ...row, id: `${id}/first`, what: `first visit, ${browser}` }, first),
    plainRow(
      {
        ...row,
        id: `${id}/first-more`,
        what: `first visit, ${browser}, more than the item's own host`,
        ...(isTarget && { target: FIRST_MORE }),
      },
      first.map(({ value, limit }) => value - limit),
    ),
    pairedRow(
      { ...row, id: `${id}/second`, what: `second visit, ${browser}`, ...(isTarget && { target: SECOND_RATIO }) },
      second,
    ),
  ]
}

async function visits(
  bench: Bench,
  name: string,
  browser: Browser,
  urls: { host: string; frame: string },
): Promise<Visits> {
  const found: Visits = { first: [], second: [] }
  try {
    // The first round fills the Worker's caches.
    for (let round = -1; round < ROUNDS; round++) {
      bench.progress(`a site in a frame, ${name}: round ${round + 1} of ${ROUNDS}`)
      const [host, frame] = [await visitTwice(browser, urls.host), await visitTwice(browser, urls.frame)]
      if (round < 0) continue
      found.first.push({ value: frame[0], limit: host[0] })
      found.second.push({ value: frame[1], limit: host[1] })
    }
  } finally {
    await browser.close()
  }
  return found
}

/** The ms until the site has loaded, of the first visit of a browser and of the next one. */
async function visitTwice(browser: Browser, url: string): Promise<[first: number, second: number]> {
  const context = await browser.newContext()
  const visit = async () => {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'commit' })
    await page.waitForFunction('window.done')
    const ms = await page.evaluate<number>('window.done')
    await page.close()
    return ms
  }
  try {
    return [await visit(), await visit()]
  } finally {
    await context.close()
  }
}
