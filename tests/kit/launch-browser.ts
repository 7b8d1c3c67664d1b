import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { installed } from './installed.ts'
import { tempFolder } from './temp-folder.ts'

/** How long (ms) a page is waited for: a second here may be many on a loaded machine. */
const TIMEOUT_MS = 60_000

// The defaults of @sparticuz/chromium are for another kind of host.
const ARGS = ['--no-sandbox', '--disable-gpu']

/** Where `npm run test:browsers` installs the release of playwright-core that can drive a plain Firefox. */
const FIREFOX_DRIVER = fileURLToPath(
  new URL('../browsers/tools/node_modules/playwright-core/index.mjs', import.meta.url),
)

/** Where a Firefox stores downloads: its driver does not report them. */
export const downloadsOf = new WeakMap<Browser, string>()

type Scheme = 'light' | 'dark'

/** A headless browser: Chromium, or Firefox under `npm run test:firefox` (TEST_BROWSER=firefox). */
export async function launchBrowser(more: readonly string[] = [], scheme: Scheme = 'light'): Promise<Browser> {
  const browser = await (inFirefox() ? launchFirefox(scheme) : launchChromium(more))
  browser.on('context', (context) => context.setDefaultTimeout(TIMEOUT_MS))
  return browser
}

/** Where dark pages are opened: in the same Chromium, and in a Firefox of their own, which has one scheme for all. */
export async function launchDark(light: Browser): Promise<Browser> {
  return inFirefox() ? await launchBrowser([], 'dark') : light
}

/** Whether the tests run in Firefox. */
export function inFirefox(): boolean {
  return process.env.TEST_BROWSER === 'firefox'
}

/**
 * A headless Chromium: the one that npm installs where it runs (Linux on x64), an installed Chrome elsewhere.
 * @throws {Error} saying how to get one.
 */
export async function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const args = [...ARGS, ...more]
  const failures: unknown[] = []
  if (isPackaged()) {
    try {
      return await chromium.launch({ executablePath: await packagedChromium(), args })
    } catch (error) {
      failures.push(error)
    }
  }
  for (const channel of ['chrome', 'chromium', 'msedge']) {
    try {
      return await chromium.launch({ channel, args })
    } catch (error) {
      failures.push(error)
    }
  }
  const message =
    'No Chromium runs here. Install Chrome (https://www.google.com/chrome/) or run `npx playwright-core install chromium`.'
  throw new AggregateError(failures, message)
}

/**
 * An installed Firefox, by WebDriver BiDi. Its driver passes neither the colour scheme of a context on nor that it wants
 * less motion: both are set for the whole browser.
 */
export async function launchFirefox(scheme: Scheme = 'light'): Promise<Browser> {
  const { firefox }: typeof import('playwright-core') = await import(FIREFOX_DRIVER)
  const downloads = await tempFolder()
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    downloadsPath: downloads,
    executablePath: installed('firefox-esr', 'firefox'),
    firefoxUserPrefs: {
      'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
      'ui.prefersReducedMotion': 1,
    },
  })
  downloadsOf.set(browser, downloads)
  return browser
}

/** Whether npm installs a Chromium that runs here. */
export function isPackaged(): boolean {
  return process.platform === 'linux' && process.arch === 'x64'
}

/** The path of that Chromium, which is unpacked below the folder of temporary files where it is not there yet. */
export async function packagedChromium(): Promise<string> {
  // It unpacks its own copies of NSS and NSPR, and has them found, where it believes to run on such a host.
  if (!hasLibrary('libnss3.so')) process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs24.x'
  const { default: packaged } = await import('@sparticuz/chromium')
  return packaged.executablePath()
}

function hasLibrary(name: string): boolean {
  try {
    return execFileSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).includes(name)
  } catch {
    return false
  }
}
