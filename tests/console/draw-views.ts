import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { buildHookIfStale } from '../../scripts/build.ts'
import { buildConsoleIfStale } from '../../scripts/build-console.ts'
import { launchChromium } from '../kit/launch-browser.ts'
import { pickFiles } from '../kit/pick-files.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import type { ConsoleServer } from './server/console-server.ts'
import { furnish, isDoor, VIEWS } from './server/furnish.ts'
import { serveConsole } from './server/serve-console.ts'

// `npm run draw:views`: every view on a desktop and a phone, light and dark, on one sheet in console/dist/views/.

const SIZES = { desktop: { width: 1280, height: 860 }, phone: { width: 360, height: 740 } } as const
const SCHEMES = ['light', 'dark'] as const
const FOLDER = new URL('../../console/dist/views/', import.meta.url)

await buildHookIfStale()
await buildConsoleIfStale()
await mkdir(FOLDER, { recursive: true })
const [browser, server] = await Promise.all([launchChromium(), serveConsole()])
try {
  const made = furnish(server.state)
  const folder = await folderOfPages()
  const views = [
    ...VIEWS.map(([name, path]) => ({ name, path: path(made), act: async (_: Page) => {} })),
    { name: 'store chosen', path: '/store', act: (page: Page) => pickFiles(page, folder) },
    { name: 'store asking', path: '/store', act: (page: Page) => askToStore(page, folder) },
  ]
  const drawn: { name: string; files: string[] }[] = []
  for (const { name, path, act } of views) {
    drawn.push({ name, files: await drawView(browser, server, { name, path, act }) })
    console.log(name)
  }
  await drawSheet(browser, drawn)
} finally {
  await browser.close()
  await server.close()
}

/** A folder with a page at its top. */
async function folderOfPages(): Promise<string> {
  const folder = join(await tempFolder(), 'almanac')
  await mkdir(folder)
  await writeFile(join(folder, 'index.html'), '<h1>Tides</h1>')
  await writeFile(join(folder, '.draft'), 'not yet')
  return folder
}

async function askToStore(page: Page, folder: string): Promise<void> {
  await pickFiles(page, folder)
  await page.locator('.target.on .parts').waitFor()
  await page.getByRole('button', { name: 'Upload 1 file' }).click()
  await page.getByText('Tick the box to go on.').waitFor()
}

/** Draws a view as often as there are sizes and schemes, once `act` has brought it there. Names of the files. */
async function drawView(
  on: Browser,
  from: ConsoleServer,
  { name, path, act }: { name: string; path: string; act(page: Page): Promise<void> },
): Promise<string[]> {
  from.state.signedIn = !isDoor(name)
  const files: string[] = []
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of SCHEMES) {
      const context = await on.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
      const page = await context.newPage()
      await page.goto(`${from.origin}/console${path}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await act(page)
      // The stream of events never ends; the page is ready when all other requests are done.
      await page.waitForFunction(() => document.querySelector('[aria-busy]') === null)
      await page.waitForTimeout(700)
      const file = `${name.replaceAll(' ', '-')}-${size}-${colorScheme}.png`
      await page.screenshot({ path: fileURLToPath(new URL(file, FOLDER)), fullPage: true })
      files.push(file)
      await context.close()
    }
  }
  return files
}

/** Puts all of them on one page, and draws that. */
async function drawSheet(on: Browser, drawn: readonly { name: string; files: readonly string[] }[]): Promise<void> {
  const rows = drawn.map(
    ({ name, files }) =>
      `<h2>${name}</h2><p>${files.map((file) => `<img src="${file}" alt="" height="420">`).join(' ')}</p>`,
  )
  const html = `<!doctype html><meta charset="utf-8"><title>Views</title>
<style>body { font: 14px system-ui; margin: 24px; background: #888 } img { vertical-align: top; background: #fff }</style>
${rows.join('\n')}`
  const sheet = new URL('index.html', FOLDER)
  await writeFile(sheet, html)
  const page = await on.newPage({ viewport: { width: 2200, height: 1000 } })
  await page.goto(sheet.href)
  const file = fileURLToPath(new URL('all.png', FOLDER))
  await page.screenshot({ path: file, fullPage: true })
  console.log(`${file} and ${fileURLToPath(sheet)}`)
}
