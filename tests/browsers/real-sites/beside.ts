import { isDeepStrictEqual } from 'node:util'
import type { Browser, FrameLocator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { PageServer } from '../../kit/page-server.ts'

/** One showing of a site in a page: the page, and what its elements are found in. */
interface Showing {
  page: Page
  site: FrameLocator
}

/** What a person does; and a wait for what it leads to. */
export type Act = (showing: Showing) => Promise<unknown>

/** A site in a page by its own server, and beside it by the page's helper. */
export interface Beside {
  /** Does the same in both, and expects that they then are the same. */
  act(act: Act, options?: { moves?: boolean }): Promise<void>
  /** The showing by its helper. */
  framed: Showing
}

const FRAME = 'width="1000" height="700" style="border:0"'
/** On a busy machine. */
const PATIENCE = { timeout: 60_000, interval: 300 }

/** Opens both in pages of one browser. `tag`: hook.js; `source`: what names the site. */
export async function openBeside(
  browser: Browser,
  pages: PageServer,
  { url, tag, source }: { url: string; tag: string; source: string },
): Promise<Beside> {
  const open = async (body: string) => {
    const page = await (await browser.newContext({ viewport: { width: 1040, height: 740 } })).newPage()
    page.setDefaultTimeout(PATIENCE.timeout)
    await page.goto(pages.serve({ body: `<!doctype html><meta charset="utf-8"><title>page</title>${body}` }))
    return page
  }
  const plain = await open(`<iframe src="${url}" ${FRAME}></iframe>`)
  const helped = await open(
    `${tag}<iframe class="IPFS" data-mimetype="text/html" data-src="${source}" ${FRAME}></iframe>`,
  )
  await helped.evaluate(`void window.hook('IPFS')`)
  await helped.locator('iframe[data-state=ready]').waitFor()
  const framed = { page: helped, site: helped.frameLocator('iframe').frameLocator('iframe') }
  const served = { page: plain, site: plain.frameLocator('iframe') }
  return {
    framed,
    async act(act, { moves = false } = {}) {
      await act(served)
      await act(framed)
      await expect
        .poll(async () => isDeepStrictEqual(await placeOf(served), await placeOf(framed)), PATIENCE)
        .toBe(true)
      if (moves) return
      // The same bytes of a PNG: no pixel differs.
      await expect.poll(async () => (await picture(served)).equals(await picture(framed)), PATIENCE).toBe(true)
    },
  }
}

const picture = ({ page }: Showing) => page.locator('iframe').screenshot({ animations: 'disabled', caret: 'hide' })

/** Where the site is, and how far it is scrolled. */
function placeOf({ site }: Showing): Promise<unknown> {
  return site.locator(':root').evaluate(() => {
    const { pathname, search, hash } = location
    return [pathname, search, hash, document.title, document.compatMode, document.characterSet, scrollX, scrollY]
  })
}
