import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import type { SlowLink } from './slow-link.ts'

/** What one visit of a page with one video took. */
export interface Watched {
  /** ms from the element's `src` to the first frame that is shown, and from `currentTime` to that of the middle. */
  firstFrame: number
  seek: number
  /** Bytes over the line: to the first frame, from the seek to its frame, and those of all until 3 s after. */
  firstBytes: number
  seekBytes: number
  bytes: number
}

const TOOLS = `
  const shown = (video) => new Promise((resolve, reject) => {
    video.requestVideoFrameCallback(() => resolve(performance.now()))
    video.onerror = () => reject(new Error(video.error.message))
  })
  const video = Object.assign(document.createElement('video'), { preload: 'auto', muted: true, width: 640, height: 360 })
  async function open(src) {
    const start = performance.now()
    video.src = src
    document.body.append(video)
    return await shown(video) - start
  }
  async function seek() {
    const start = performance.now()
    const seeked = new Promise((resolve) => video.onseeked = resolve)
    video.currentTime = video.duration / 2
    await Promise.all([seeked, shown(video)])
    return performance.now() - start
  }`

/** A visit by a reader who has nothing of the video; the worker, if the page has one, is there. */
export async function watch(browser: Browser, link: SlowLink, url: string, src: string): Promise<Watched> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(url)
    await page.evaluate('window.ready')
    await page.evaluate(TOOLS)
    link.sent = 0
    const firstFrame = await page.evaluate<number>(`open(${JSON.stringify(src)})`)
    const firstBytes = link.sent
    // What a player reads ahead; after 3 s it reads at the middle of the shorter video.
    await wait(1000)
    const before = link.sent
    const seek = await page.evaluate<number>('seek()')
    const seekBytes = link.sent - before
    await wait(3000)
    return { firstFrame, seek, firstBytes, seekBytes, bytes: link.sent }
  } finally {
    await context.close()
  }
}

/** MB by which the browser's pages and workers grow, at the peak, while a page reads all of `src`. Linux only. */
export async function growthByReading(browser: Browser, url: string, src: string): Promise<number> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(url)
    await page.evaluate('window.ready')
    const renderers = await pidsOfRenderers(browser)
    const resident = (name: string) => renderers.reduce((sum, pid) => sum + statusOf(pid, name), 0) / 1e6
    const before = resident('VmRSS')
    for (const pid of renderers) writeFileSync(`/proc/${pid}/clear_refs`, '5')
    await page.evaluate(`(async () => {
      const reader = (await fetch(${JSON.stringify(src)})).body.getReader()
      while (!(await reader.read()).done);
    })()`)
    return resident('VmHWM') - before
  } finally {
    await context.close()
  }
}

async function pidsOfRenderers(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}

/** A field of /proc/<pid>/status, in bytes. */
function statusOf(pid: number, name: string): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1])
}
