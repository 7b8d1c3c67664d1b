import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { buildHook } from '../../scripts/build.ts'
import { installPeers, PEERS } from '../../tests/kit/install-peers.ts'
import { launchBrowser } from '../../tests/kit/launch-browser.ts'
import { type PageServer, startPageServer } from '../../tests/kit/page-server.ts'
import { storeFile } from '../../tests/kit/store-files.ts'
import { storeItem } from '../../tests/kit/store-item.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { pairedRow, plainRow, type Row } from '../row.ts'
import { samplePng } from '../sample-image.ts'
import { type Product, startProduct } from '../start-product.ts'

const GROUP = 'The page helper in Chromium, 50 ms away'
const IMAGES = 20
/** About 30 KB each. */
const SIDE = 100
const LATENCY_MS = 50

type Way = 'plain' | 'hook' | 'verified-fetch'

interface Names {
  txids: string[]
  cids: string[]
  urls: string[]
}

/**
 * Twenty images from a chain and from IPFS, verified in the page, compared with twenty plain `<img src>` of the same
 * bytes.
 */
export async function measureHook(bench: Bench): Promise<Row[]> {
  const product = await startProduct(bench)
  const pages = await startPageServer()
  const browser = await launchBrowser()
  try {
    bench.progress('hook: storing images')
    const names = await storeImages(bench, product)
    const opener = new PageOpener(browser, pages, product, await bundlePages())
    const rounds = 7
    const times = {
      plain: [] as number[],
      cold: [] as number[],
      warm: [] as number[],
      ipfs: [] as number[],
      warmIpfs: [] as number[],
      verifiedFetch: [] as number[],
      script: [] as number[],
    }
    // The first round fills the Worker's caches and the browser's own files.
    for (let round = -1; round < rounds; round++) {
      bench.progress(`hook: round ${round + 1} of ${rounds}`)
      const plain = await opener.once('plain', names.urls, '')
      const { cold, warm, script } = await opener.twice(names.txids, 'Nativecoin')
      const ipfs = await opener.twice(names.cids, 'IPFS')
      const verifiedFetch = await opener.once('verified-fetch', names.cids, 'IPFS')
      if (round < 0) continue
      times.plain.push(plain)
      times.cold.push(cold)
      times.warm.push(warm)
      times.script.push(script)
      times.ipfs.push(ipfs.cold)
      times.warmIpfs.push(ipfs.warm)
      times.verifiedFetch.push(verifiedFetch)
    }
    return [...(await sizeRows(times.script)), ...timeRows(times)]
  } finally {
    await browser.close()
    await pages.close()
    await product.close()
  }
}

async function storeImages(bench: Bench, product: Product): Promise<Names> {
  const node = bench.devnet.devnet.node('Nativecoin')
  const names: Names = { txids: [], cids: [], urls: [] }
  const db = await product.miniflare.getD1Database('DB')
  for (let index = 0; index < IMAGES; index++) {
    const image = samplePng(SIDE, `image ${index}`)
    const txids = writeToNode(node, brotliCompressSync(image))
    names.txids.push(txids.join(','))
    names.cids.push(await storeFile(product.miniflare, image))
    names.urls.push(
      `http://127.0.0.1:${product.port}/v0/content/${await storeItem(db, { blockchain: 'Nativecoin', mimetype: 'image/png', txids })}`,
    )
  }
  return names
}

/** The page's own script, and that of the other project, which only its own page loads. */
interface PageScripts {
  own: string
  verifiedFetch: string
}

async function bundlePages(): Promise<PageScripts> {
  await installPeers()
  return {
    own: await bundleScript(fileURLToPath(new URL('../pages/show-images.ts', import.meta.url))),
    verifiedFetch: await bundleScript(join(PEERS, 'verified-fetch-page.js')),
  }
}

async function bundleScript(entry: string): Promise<string> {
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
  })
  return built.outputFiles[0]?.text ?? ''
}

class PageOpener {
  readonly #browser: Browser
  readonly #product: Product
  readonly #urls: Record<Way, string>

  constructor(browser: Browser, pages: PageServer, product: Product, scripts: PageScripts) {
    this.#browser = browser
    this.#product = product
    const tagOf = (body: string) => `<script src="${pages.serve({ body, type: 'text/javascript' })}"></script>`
    const helper = `<script src="http://127.0.0.1:${product.port}/hook.js" async></script>`
    const own = `<!doctype html><title>Images</title><body>${tagOf(scripts.own)}`
    this.#urls = {
      plain: pages.serve({ body: own }),
      hook: pages.serve({ body: own + helper }),
      'verified-fetch': pages.serve({ body: own + tagOf(scripts.verifiedFetch) }),
    }
  }

  /** In a new browser profile. */
  async once(way: Way, names: string[], blockchain: string): Promise<number> {
    const context = await this.#browser.newContext()
    try {
      return (await this.#show(context, way, names, blockchain)).ms
    } finally {
      await context.close()
    }
  }

  /** With the helper, in a new browser profile, and then again with its stored content. */
  async twice(names: string[], blockchain: string): Promise<{ cold: number; warm: number; script: number }> {
    const context = await this.#browser.newContext()
    try {
      const first = await this.#show(context, 'hook', names, blockchain)
      const second = await this.#show(context, 'hook', names, blockchain)
      return { cold: first.ms, warm: second.ms, script: first.script }
    } finally {
      await context.close()
    }
  }

  async #show(context: BrowserContext, way: Way, names: string[], blockchain: string) {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY_MS,
      downloadThroughput: -1,
      uploadThroughput: -1,
    })
    await session.send('Performance.enable')
    await page.goto(this.#urls[way])
    if (way === 'hook') await waitForHelper(page, blockchain)
    const { metrics } = await session.send('Performance.getMetrics')
    const script = 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN)
    const origin = `http://127.0.0.1:${this.#product.port}`
    const given = [way, names, blockchain, origin].map((value) => JSON.stringify(value))
    const ms = await page.evaluate<number>(`window.showImages(${given.join(', ')})`)
    // IndexedDB is written after the content is shown.
    await page.waitForTimeout(300)
    await page.close()
    return { ms, script }
  }
}

async function waitForHelper(page: Page, blockchain: string): Promise<void> {
  await page.waitForFunction("'hook' in window")
  const ready = blockchain === 'IPFS' ? 'window.hook.node' : 'window.hook.db'
  await page.evaluate(`${ready}.then(() => {})`)
}

async function sizeRows(script: readonly number[]): Promise<Row[]> {
  const manifest = await buildHook()
  const kilobytes = (...names: (keyof typeof manifest)[]) =>
    names.reduce((sum, name) => sum + (manifest[name]?.compressed ?? 0), 0) / 1024
  const row = { group: GROUP, unit: 'KiB', better: 'lower' as const }
  const chain = kilobytes('hook.js', 'show.js', 'brotli.wasm')
  return [
    plainRow({ ...row, id: 'hook/bytes', what: 'hook.js, Brotli', target: 8 }, [kilobytes('hook.js')]),
    plainRow({ ...row, id: 'hook/bytes-chain', what: 'with all for chain content', target: 72 }, [chain]),
    plainRow({ ...row, id: 'hook/bytes-ipfs', what: 'what IPFS adds', target: 96 }, [kilobytes('ipfs.js')]),
    plainRow(
      {
        group: GROUP,
        id: 'hook/script-of-helper',
        what: 'script before the call of window.hook',
        unit: 'ms',
        better: 'lower',
        target: 12,
        note: 'parsed, compiled and run, with the page’s own of 1 KB',
      },
      script,
    ),
  ]
}

function timeRows(times: Record<'plain' | 'cold' | 'warm' | 'ipfs' | 'warmIpfs' | 'verifiedFetch', number[]>): Row[] {
  const pairs = (values: number[], limits: number[]) =>
    values.map((value, index) => ({ value, limit: limits[index] ?? Number.NaN }))
  const row = { group: GROUP, unit: 'ms', better: 'lower' as const, limitWhat: 'plain <img src>' }
  return [
    pairedRow(
      { ...row, id: 'hook/cold', what: '20 images of 30 KB from a chain, cold', target: 1.5 },
      pairs(times.cold, times.plain),
    ),
    pairedRow({ ...row, id: 'hook/warm', what: 'the same from IndexedDB', target: 1 }, pairs(times.warm, times.plain)),
    pairedRow(
      { ...row, id: 'hook/ipfs', what: '20 images from IPFS, cold', target: 1.2 },
      pairs(times.ipfs, times.plain),
    ),
    pairedRow(
      { ...row, id: 'hook/ipfs-warm', what: 'the same from IndexedDB', target: 0.35 },
      pairs(times.warmIpfs, times.plain),
    ),
    pairedRow(
      { ...row, id: 'hook/verified-fetch', what: '20 images by @helia/verified-fetch, cold' },
      pairs(times.verifiedFetch, times.plain),
    ),
  ]
}
