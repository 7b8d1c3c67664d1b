import type { Browser } from 'playwright-core'
import type { Engine } from './engine-page.ts'
import { WAIT_MS } from './web-driver.ts'

/** A page in a browser that Playwright started. */
export async function openByPlaywright(starting: Promise<Browser>): Promise<Engine> {
  const browser = await starting
  const page = await browser.newPage()
  page.setDefaultTimeout(WAIT_MS)
  const find = (selector: string, text: string) => page.locator(selector).filter({ hasText: text }).first()
  const shown = (selector: string, text = '') => find(`${selector}:visible`, text)
  return {
    page: {
      goto: async (url) => void (await page.goto(url)),
      resize: (width, height) => page.setViewportSize({ width, height }),
      read: (expression) => page.evaluate(expression),
      async readInFrame(selector, expression) {
        let frame = page.mainFrame()
        for (const each of selector.split(' >> ')) {
          const inner = await (await frame.locator(each).first().elementHandle())?.contentFrame()
          if (!inner) throw new Error(`no frame in ${each}`)
          frame = inner
        }
        return await frame.evaluate(expression)
      },
      see: (selector, text) => shown(selector, text).waitFor(),
      click: (selector, text) => shown(selector, text).click(),
      async type(selector, text) {
        if (selector.includes('type=file')) await find(selector, '').setInputFiles(text)
        else await shown(selector).fill(text)
      },
    },
    close: () => browser.close(),
  }
}
