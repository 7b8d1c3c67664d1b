import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { CHAINS } from '../../protocol/chains.ts'
import { literalBrotli } from '../../protocol/literal-brotli.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { buildAuthorWorkers } from '../../scripts/build-author-worker.ts'
import { launchChromium } from '../../tests/kit/launch-browser.ts'
import { type PageServer, startPageServer } from '../../tests/kit/page-server.ts'
import { storeFile, storeFiles } from '../../tests/kit/store-files.ts'
import { writeToNode } from '../../tests/kit/write-content.ts'
import type { Bench } from '../bench.ts'
import { pairedRow, type Row } from '../row.ts'
import { startProduct } from '../start-product.ts'
import { startFileServer } from '../streams/file-server.ts'
import { sampleVideos } from '../streams/sample-video.ts'
import { openSlowLink } from '../streams/slow-link.ts'
import { growthByReading, type Watched, watch } from '../streams/watch-video.ts'

/** 102 and 15 MB. */
const SECONDS = [170, 25]
const DELAY_MS = 50
const RATE = 20e6
const ROUNDS = 3
const GROUP = "Video by the author's worker, behind 50 ms and 20 Mbit/s"

/** The first frame, a seek to the middle, bytes and memory of a video, compared with the plain file through the same line. */
export async function measureStreams(bench: Bench): Promise<Row[]> {
  bench.progress('streams: encoding the videos')
  const videos = await sampleVideos(SECONDS)
  const [film, clip] = videos ?? []
  if (!film || !clip) {
    bench.progress('streams: left out, ffmpeg is not installed')
    return []
  }
  const product = await startProduct(bench)
  const files = await startFileServer({ '/film.webm': film, '/clip.webm': clip })
  const link = openSlowLink(DELAY_MS, RATE)
  const pages = await startPageServer()
  const browser = await launchChromium()
  try {
    const plain = `http://127.0.0.1:${await link.to(files.port)}`
    const url = await serveSite(pages, `http://127.0.0.1:${await link.to(product.port)}`)
    const { cids } = await storeFiles(product, { film })
    const large = await storeFile(product.miniflare, film)
    const stored = await readWhole(literalBrotli(once(clip), clip.length, CHAINS.Nativecoin.maxDataBytes))
    const txids = writeToNode(bench.devnet.devnet.node('Nativecoin'), stored)
    const ipfs = (cid = '') => `/hookline/ipfs/${cid}?type=video/webm`
    const sources = {
      ipfs: { ours: ipfs(cids.film), plain: `${plain}/film.webm`, what: '102 MB on IPFS, leaves of 256 KiB' },
      'ipfs-1mib': { ours: ipfs(large), plain: `${plain}/film.webm`, what: '102 MB on IPFS, leaves of 1 MiB' },
      chain: {
        ours: `/hookline/Nativecoin/${txids}?type=video/webm`,
        plain: `${plain}/clip.webm`,
        what: '15 MB on Nativecoin',
      },
    }
    const limitWhat = 'the plain file'
    const rows: Row[] = []
    for (const [name, source] of Object.entries(sources)) {
      const rounds: { ours: Watched; plain: Watched }[] = []
      // The first round fills the Worker's caches.
      for (let round = -1; round < ROUNDS; round++) {
        bench.progress(`streams: ${name}, round ${round + 1} of ${ROUNDS}`)
        const pair = {
          plain: await watch(browser, link, url, source.plain),
          ours: await watch(browser, link, url, source.ours),
        }
        if (round >= 0) rounds.push(pair)
      }
      const row = { group: GROUP, unit: 'ms', better: 'lower' as const, limitWhat }
      const pairs = (of: 'firstFrame' | 'seek' | 'bytes', unit = 1) =>
        rounds.map(({ ours, plain }) => ({ value: ours[of] / unit, limit: plain[of] / unit }))
      rows.push(
        pairedRow(
          { ...row, id: `streams/${name}-first`, what: `first frame, ${source.what}`, target: 1.3 },
          pairs('firstFrame'),
        ),
        pairedRow(
          { ...row, id: `streams/${name}-seek`, what: `seek to the middle, ${source.what}`, target: 1.5 },
          pairs('seek'),
        ),
        pairedRow(
          { ...row, id: `streams/${name}-bytes`, what: `fetched until 3 s after the seek, ${source.what}`, unit: 'MB' },
          pairs('bytes', 1e6),
        ),
      )
    }
    if (process.platform !== 'linux') return rows
    bench.progress('streams: memory')
    link.rate = 400e6
    link.delay = 0
    for (const [name, { ours, plain, what }] of Object.entries(sources)) {
      const pair = {
        value: await growthByReading(browser, url, ours),
        limit: await growthByReading(browser, url, plain),
      }
      const id = `streams/${name}-memory`
      rows.push(
        pairedRow(
          { group: GROUP, id, what: `page's growth while it reads ${what}`, unit: 'MB', better: 'lower', limitWhat },
          [pair],
        ),
      )
    }
    return rows
  } finally {
    await browser.close()
    link.close()
    await pages.close()
    await files.close()
    await product.close()
  }
}

async function* once(bytes: Uint8Array) {
  yield bytes
}

/** A site with the author's worker; returns the URL of a page whose `ready` resolves when the worker serves it. */
async function serveSite(pages: PageServer, api: string): Promise<string> {
  const worker = `/hookline-worker.js?api=${api}`
  const built = await buildAuthorWorkers()
  pages.serve({ body: built['hookline-worker.js'], type: 'text/javascript' }, worker)
  const wasm = readFileSync(createRequire(import.meta.url).resolve('brotli-dec-wasm/web/bg.wasm'))
  pages.serve({ body: wasm, type: 'application/wasm' }, '/brotli.wasm')
  return pages.serve({
    body: `<!doctype html><meta charset="utf-8"><title>A video</title><script src="${worker}"></script>
      <script>
        window.ready = new Promise((resolve) => {
          const look = () => navigator.serviceWorker.controller && resolve(true)
          navigator.serviceWorker.addEventListener('controllerchange', look)
          look()
        })
      </script><body>`,
  })
}
