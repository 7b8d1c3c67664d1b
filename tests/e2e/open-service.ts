import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { freePort } from '../kit/free-port.ts'
import { launchBrowser } from '../kit/launch-browser.ts'
import { logIn, PASSWORD, signUp } from '../kit/sign-up.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { signInAtConsole } from '../kit/use-console.ts'

/** The address of the account of a file. */
export const EMAIL = 'ada@example.com'

/** What the tests of a file have, as far as the file wants it. */
export let worker: RunningWorker
export let browser: Browser
/** Shows the console, with the account signed in. */
export let page: Page
/** An access token of the account. */
export let token: string

interface Wanted {
  /** Settings of the service, which is then known by its own address; by the port that it will have. */
  settings?: (port: number) => Record<string, string>
  /** Milliseconds between two blocks while something waits. */
  blockMs?: number
  /** Mines every 200 ms what waits. */
  mines?: boolean
  account?: 'user' | 'admin'
  opens?: 'browser' | 'console'
  context?: BrowserContextOptions
}

/** Starts the service for the tests of a file, with its chains, and opens what is wanted. */
export function openService({ settings, blockMs = 0, mines, account, opens, context }: Wanted = {}): void {
  let mining: ReturnType<typeof setInterval> | undefined
  beforeAll(async () => {
    const port = await freePort()
    const variables = settings && { BASE_URL: `http://127.0.0.1:${port}`, ...settings(port) }
    worker = await startWorker({ port, blockMs, ...(variables && { variables }) })
    if (mines) mining = setInterval(() => worker.chains.devnet.mineWaiting(), 200)
    if (account) token = await signUp(worker, EMAIL)
    if (account === 'admin') {
      const db = await worker.miniflare.getD1Database('DB')
      await db.prepare(`UPDATE users SET role = 'admin' WHERE email = ?`).bind(EMAIL).run()
      token = await logIn(worker.url, EMAIL)
    }
    if (opens) browser = await launchBrowser()
    if (opens !== 'console') return
    page = await (await browser.newContext(context)).newPage()
    await page.goto(`${worker.url}/console`)
    await signInAtConsole(page, EMAIL, PASSWORD)
  })
  afterAll(async () => {
    clearInterval(mining)
    if (opens) await browser.close()
    await worker.close()
  })
}

/** A request to the API with the token of the account; `path` begins behind `/v0`. */
export const send = (method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) =>
  fetch(`${worker.url}/v0${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
