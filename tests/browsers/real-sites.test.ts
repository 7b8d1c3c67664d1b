import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { launchChromium } from '../kit/launch-browser.ts'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { type RecordingFront, startRecordingFront } from '../kit/recording-front.ts'
import { NGINX, startNginx } from '../kit/start-nginx.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { storeFiles } from '../kit/store-files.ts'
import { startTamperingProxy, type TamperingProxy } from '../kit/tampering-proxy.ts'
import { type Act, openBeside } from './real-sites/beside.ts'
import type { SiteFiles } from './real-sites/packages.ts'
import { installSites, isHere, REAL_SITES, type SiteKey } from './real-sites/sites.ts'

const { missing, files } = (await isHere(NGINX))
  ? await installSites()
  : { missing: ['nginx'], files: new Map<SiteKey, SiteFiles>() }
if (missing.length > 0) console.warn(`Not shown beside a server, since it is not here: ${missing.join(', ')}`)

let worker: RunningWorker
let pages: PageServer
let api: TamperingProxy
/** What the hosts of frames are asked for. */
let front: RecordingFront

beforeAll(async () => {
  ;[worker, pages] = await Promise.all([startWorker(), startPageServer()])
  ;[api, front] = await Promise.all([startTamperingProxy(worker.url), startRecordingFront(worker.url)])
})
afterAll(async () => {
  await api.close()
  await front.close()
  await pages.close()
  await worker.close()
})

const see =
  (selector: string, text?: string): Act =>
  ({ site }) =>
    site
      .locator(selector, text === undefined ? {} : { hasText: text })
      .first()
      .waitFor()
const click =
  (selector: string, text?: string): Act =>
  ({ site }) =>
    site
      .locator(selector, text === undefined ? {} : { hasText: text })
      .first()
      .click()
const both =
  (...acts: Act[]): Act =>
  async (showing) => {
    for (const act of acts) await act(showing)
  }
const back: Act = ({ page }) => page.evaluate(() => history.back())
const forward: Act = ({ page }) => page.evaluate(() => history.forward())
const type =
  (selector: string, text: string): Act =>
  ({ site }) =>
    site.locator(selector).pressSequentially(text)
const press =
  (key: string): Act =>
  async ({ page, site }) => {
    await site.locator(':root').evaluate(() => window.focus())
    await page.keyboard.press(key)
  }
const at =
  (end: string): Act =>
  ({ site }) =>
    expect
      .poll(() => site.locator(':root').evaluate(() => location.href), { timeout: 60_000 })
      .toMatch(new RegExp(`${end}$`))

/** What is done on each, step by step; both must be the same after each. */
const STEPS: Record<SiteKey, Act[]> = {
  sphinx: [
    see('h1', 'simplejson'),
    both(click('a.reference.internal'), at('#module-simplejson')),
    both(back, at('/(index.html)?')),
    both(forward, at('#module-simplejson')),
    both(type('input[name=q]', 'decoder'), click('input[type=submit]'), see('#search-results li')),
    both(click('#search-results li a'), see('h1', 'simplejson')),
    both(back, see('#search-results li')),
  ],
  frameset: [
    ({ site }) => site.frameLocator('[name=main]').locator('h1', { hasText: 'Library' }).first().waitFor(),
    async ({ site }) => {
      await site.frameLocator('[name=classes]').locator('a', { hasText: 'LogFactory' }).first().click()
      await site.frameLocator('[name=main]').locator('h2', { hasText: 'Class LogFactory' }).waitFor()
    },
    both(back, ({ site }) => site.frameLocator('[name=main]').locator('h1', { hasText: 'Library' }).first().waitFor()),
  ],
  latin: [
    see('h1', 'La FAQ Debian'),
    both(click('dt a'), see('h2, h1', 'Chapitre')),
    both(back, see('h1', 'La FAQ Debian')),
  ],
  javadoc: [
    both(see('h1', 'Logging'), see('#search:enabled')),
    both(click('a', 'org.apache.commons.logging.impl'), see('h1', 'Package'), see('#search:enabled')),
    both(click('a', 'SimpleLog'), see('h2', 'Class SimpleLog'), see('#search:enabled')),
    both(click('a[href="#trace(java.lang.Object)"]'), at('#trace\\(java.lang.Object\\)')),
    both(back, at('SimpleLog.html')),
    both(back, see('h1', 'Package'), see('#search:enabled')),
    both(type('#search', 'LogFactory'), see('.ui-menu-item', 'LogFactory')),
  ],
  mdbook: [
    see('h1', 'Introduction'),
    both(click('a[rel=next]:visible'), see('main h1', 'What are Editions?')),
    both(back, see('h1', 'Introduction')),
    both(press('ArrowRight'), see('main h1', 'What are Editions?')),
    both(click('main h1 a'), at('#what-are-editions')),
    both(back, at('/editions/index.html')),
    both(back, see('h1', 'Introduction')),
  ],
  swagger: [
    see('.opblock-summary-path', '/openapi.json'),
    both(click('.opblock-summary-control'), see('.try-out__btn'), at('#/lights/.*')),
    // The table says the host's name and the date: it is looked at and cleared.
    both(
      click('.try-out__btn'),
      click('.execute'),
      see('.live-responses-table .response-col_status', '200'),
      see('.live-responses-table .microlight', 'Lighthouses'),
      click('.btn-clear'),
    ),
  ],
  reveal: [
    see('.present h2', 'First'),
    both(press('ArrowRight'), see('.present h2', 'Second'), at('#/second')),
    both(press('ArrowRight'), see('.present h2', 'Third')),
    both(back, see('.present h2', 'Second')),
    both(press('Escape'), see('.reveal.overview')),
  ],
  boilerplate: [
    see('p', 'Hello world!'),
    both(
      ({ site }) => site.locator('body').evaluate(() => void location.assign('/nowhere.html?x')),
      see('h1', 'Page Not Found'),
    ),
    both(back, see('p', 'Hello world!')),
  ],
  game: [see('.tile')],
  pdf: [
    see('.page[data-loaded=true] .textLayer', 'bzip2'),
    async ({ site }) => {
      await site.locator('#pageNumber').fill('3')
      await site.locator('#pageNumber').press('Enter')
    },
  ],
}

/**
 * What is not the same twice on one server either: the board is random, pages of a PDF are drawn by what is there first,
 * and on a busy machine Swagger UI draws what it unfolds at other times.
 */
const MOVES: ReadonlySet<string> = new Set(['game', 'pdf', 'swagger'])

describe.each([['Chromium', launchChromium]] as const)('in %s', (_, launch) => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
    return () => browser.close()
  })

  it.each([...files].map(([key, content]) => [REAL_SITES[key].name, key, content] as const))(
    '%s is in a frame what it is by nginx',
    async (_, key, site) => {
      const server = await startNginx(site)
      onTestFinished(() => server.close())
      const { root } = await storeFiles(worker, site)
      const { start } = REAL_SITES[key]
      api.seen.length = 0
      front.seen.length = 0
      const { act } = await openBeside(browser, pages, {
        url: `${server.url}/${start}`,
        tag: `<script src="${api.url}/hook.js" data-frames="storage.localhost:${front.port}"></script>`,
        source: `${root}/${start}`,
      })
      const steps = STEPS[key]
      for (const [index, step] of steps.entries()) {
        await act(step, { moves: MOVES.has(key) }).catch((error) => {
          throw new Error(`step ${index}`, { cause: error })
        })
      }
      const content = api.seen.filter(({ path }) => path.startsWith('/ipfs/'))
      const asked = await server.asked()
      expect(content.length).toBeLessThanOrEqual(asked.length + 2)
      expect(front.seen.filter((request) => !/\/\.hookline\/(shell|worker\.js)$/.test(request))).toEqual([])
    },
  )
})
