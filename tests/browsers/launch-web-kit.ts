import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../kit/free-port.ts'
import { installed } from '../kit/installed.ts'
import type { Engine } from './engine-page.ts'
import { WebDriverPage } from './web-driver.ts'

/** Limit for the response of a driver, in milliseconds. */
const START_MS = 60_000

/** WebKitGTK's own browser on a display that nobody sees: starts Xvfb, WebKit's driver and, through it, a browser with a profile of its own. */
export async function launchWebKit(): Promise<Engine> {
  const home = await mkdtemp(join(tmpdir(), 'hookline-webkit-'))
  const display = spawn(installed('Xvfb'), ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const number = await firstLine(display)
  const port = await freePort()
  const driver = spawn(installed('WebKitWebDriver'), [`--port=${port}`], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: `:${number}`,
      HOME: home,
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_CONFIG_HOME: join(home, 'config'),
      // A machine without graphics: drawn by the processor.
      LIBGL_ALWAYS_SOFTWARE: '1',
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    },
  })
  const end = async () => {
    await Promise.all([driver, display].map(stop))
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  try {
    const url = `http://127.0.0.1:${port}`
    await answers(`${url}/status`)
    const page = await WebDriverPage.open(url, { browserName: 'MiniBrowser', unhandledPromptBehavior: 'accept' })
    return {
      page,
      async close() {
        await page.close().catch(() => undefined)
        await end()
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function firstLine(display: ChildProcess): Promise<string> {
  const pipe = display.stdio[3]
  if (!pipe) throw new Error('the display has no pipe')
  const [line]: unknown[] = await once(pipe, 'data', { signal: AbortSignal.timeout(START_MS) })
  return String(line).trim()
}

async function answers(url: string): Promise<void> {
  const last = Date.now() + START_MS
  for (;;) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    if (Date.now() > last) throw new Error(`nothing answers at ${url}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}
