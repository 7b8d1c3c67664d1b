import { readFile, writeFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../tests/kit/launch-browser.ts'
import { dropAndChoose, makeAccount, payByFaucet, upload } from '../tests/kit/use-console.ts'
import { readEnvironment } from './start/read-environment.ts'

// Makes the README's first picture, docs/console-light.jpg and -dark.jpg: the console of a running `npm start` (PORT, as
// there) stores examples/picture.jpg on a phone, once in each theme.

const SCREEN = { width: 390, height: 760 }
const QUALITY = 72
const ACCOUNT = { firstName: 'Ada', lastName: 'Lovelace', password: 'Correct1horse' }

const url = `http://localhost:${readEnvironment(process.env).port}/console`
const browser = await launchBrowser()
try {
  for (const theme of ['light', 'dark'] as const) {
    const screens = await storeSomething(browser, theme)
    await writeFile(new URL(`../docs/console-${theme}.jpg`, import.meta.url), await sideBySide(browser, screens, theme))
  }
} finally {
  await browser.close()
}

/** Stores the sample picture through the page alone; returns what was seen: the price, the payment, the verified picture. */
async function storeSomething(browser: Browser, theme: 'light' | 'dark'): Promise<Buffer[]> {
  const context = await browser.newContext({ viewport: SCREEN, deviceScaleFactor: 2, colorScheme: theme })
  const tab = await context.newPage()
  tab.setDefaultTimeout(60_000)
  await makeAccount(tab, url, { ...ACCOUNT, email: `ada.${Date.now()}@example.com` })
  await dropAndChoose(tab, ['examples/picture.jpg'], 'Permanent, on Nativecoin')
  const screens: Buffer[] = []
  const look = async (top: string) => {
    await tab.getByText(top, { exact: true }).first().scrollIntoViewIfNeeded()
    screens.push(await tab.screenshot())
  }
  await tab.getByText('at most').first().waitFor()
  await look('Store 1 file')
  await upload(tab)
  await tab.locator('.qr').waitFor()
  await look('Pay on Nativecoin')
  await payByFaucet(tab)
  await tab.getByText('Verified in this browser at').waitFor()
  await look('1 file is in the chain')
  await context.close()
  return screens
}

/** The screens beside each other, as a JPEG. */
async function sideBySide(browser: Browser, screens: readonly Buffer[], theme: 'light' | 'dark'): Promise<Buffer> {
  const style = await readFile(new URL('draw-console.css', import.meta.url), 'utf8')
  const page = await browser.newPage({ viewport: { width: 1280, height: 808 }, deviceScaleFactor: 1.25 })
  const images = screens.map((screen) => `<img src="data:image/png;base64,${screen.toString('base64')}" alt="">`)
  await page.setContent(`<!doctype html><style>${style}</style><body class="${theme}">${images.join('')}`)
  await page.waitForFunction('[...document.images].every(({ complete }) => complete)')
  const picture = await page.screenshot({ type: 'jpeg', quality: QUALITY })
  await page.close()
  return picture
}
