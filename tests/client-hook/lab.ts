import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll } from 'vitest'
import type { Blockchain } from '../../protocol/chains.ts'
import { launchBrowser } from '../kit/launch-browser.ts'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { startTamperingProxy, type TamperingProxy } from '../kit/tampering-proxy.ts'

/** What `window.hook` resolved to, as far as it leaves the page. */
export interface Outcome {
  id: string
  status: string
  state: string | null
  code?: string | undefined
  message?: string | undefined
  directive?: string | undefined
}

interface OpenOptions {
  policy?: string
  headers?: Record<string, string>
  /** What stands in the head before hook.js, and its own tag; one by which HTML is shown by /frame, without it. */
  head?: string
  /** A context of one's own, for what one page keeps and the next finds. */
  context?: BrowserContext
}

/** A browser, the real Worker behind a proxy that can tamper, and a page author's server. */
export interface Lab {
  browser: Browser
  worker: RunningWorker
  api: TamperingProxy
  pages: PageServer
  /** A page with hook.js and `body`, on a page author's server; in a fresh browser context unless one is given. */
  open(body: string, options?: OpenOptions): Promise<Page>
}

/** A lab for the tests of a file, which is closed after them. */
export async function useLab(): Promise<Lab> {
  const [browser, worker, pages] = await Promise.all([launchBrowser(), startWorker(), startPageServer()])
  const api = await startTamperingProxy(worker.url)
  afterAll(async () => {
    await browser.close()
    await api.close()
    await pages.close()
    await worker.close()
  })
  return {
    browser,
    worker,
    api,
    pages,
    async open(body, { policy, headers, head, context } = {}) {
      const script = head ?? `<script src="${api.url}/hook.js" data-frames="none"></script>`
      const url = pages.serve({
        body: `<!doctype html><meta charset="utf-8"><title>page</title>${script}<body>${body}`,
        ...(policy !== undefined && { policy }),
        ...(headers && { headers }),
      })
      const page = await (context ?? (await browser.newContext())).newPage()
      await page.goto(url)
      return page
    },
  }
}

/** Calls `window.hook` in the page and waits for all of it. */
export function fill(page: Page, blockchain: Blockchain | 'IPFS'): Promise<Outcome[]> {
  return page.evaluate(async (name) => {
    const results = await window.hook(name)
    return results.map(({ element, status, error }) => ({
      id: element.id,
      status,
      state: element.getAttribute('data-state'),
      message: error?.message,
      code: error && 'code' in error ? String(error.code) : undefined,
      directive: error && 'directive' in error ? String(error.directive) : undefined,
    }))
  }, blockchain)
}
