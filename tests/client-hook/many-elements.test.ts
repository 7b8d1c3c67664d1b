import { expect, it } from 'vitest'
import { storeContent } from '../kit/write-content.ts'
import { useLab } from './lab.ts'

const lab = await useLab()
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
/** Filled behind the first ones before the trace ends. */
const ENOUGH = 200

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Processor time of the thread, in microseconds: nearly the same on a busy machine. */
  tdur?: number
  args?: { name?: string }
}

/** Of the machine that the limit of 50 ms is meant for: 34 ms there beside a load of 24. Slower ones have twice as long. */
const LIMIT_MS = 100
/** Garbage collection and other programs disturb some, so the best counts. */
const TRIES = 3

it('fills ten thousand elements in short tasks', async () => {
  const src = storeContent(lab.worker, 'Nativecoin', SVG).join()
  const one = `<img class="Nativecoin" width="40" height="40" data-mimetype="image/svg+xml" data-src="${src}">\n`
  let longest = Number.POSITIVE_INFINITY
  for (let left = TRIES; left > 0 && longest >= LIMIT_MS; left--) longest = Math.min(longest, await longestTask(one))
  expect(longest).toBeLessThan(LIMIT_MS)
})

/** Of the page's main thread while 10,000 of these are filled, in ms of processor time. */
async function longestTask(one: string): Promise<number> {
  const page = await lab.open(one.repeat(10_000))
  await page.evaluate(() => window.hook.db)
  await lab.browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] })
  await page.evaluate(() => void window.hook('Nativecoin'))
  await page.waitForFunction((count) => document.querySelectorAll('[data-state=ready]').length > count, ENOUGH, {
    polling: 500,
  })
  const trace: { traceEvents: TraceEvent[] } = JSON.parse((await lab.browser.stopTracing()).toString())
  await page.close()
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`
  const main = new Set(trace.traceEvents.filter(({ args }) => args?.name === 'CrRendererMain').map(threadOf))
  const tasks = trace.traceEvents.filter((event) => event.name === 'RunTask' && main.has(threadOf(event)))
  expect(tasks.length).toBeGreaterThan(10)
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000))
}
