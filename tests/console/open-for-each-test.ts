import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { launchBrowser } from '../kit/launch-browser.ts'
import type { ConsoleServer } from './server/console-server.ts'
import { serveConsole } from './server/serve-console.ts'

/** What the test that runs has: the console with an API from memory, somebody signed in, and a page that was not yet used. */
export let server: ConsoleServer
export let context: BrowserContext
export let page: Page

/** Opens these for each test of a file, in one browser. */
export function openForEachTest(options: BrowserContextOptions = {}): void {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    server = await serveConsole()
    server.state.signedIn = true
    context = await browser.newContext(options)
    page = await context.newPage()
  })
  afterEach(async () => {
    await context.close()
    await server.close()
  })
}
