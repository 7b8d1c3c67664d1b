import { expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { addFolder, addItem, nowSeconds, objectId } from './server/fake-state.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })

/** Drawn as "invoice-fdp.exe" by what obeys the override. */
const NAME = 'invoice-\u202eexe.pdf'
const SHOWN = 'invoice-[U+202E]exe.pdf'
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/

it('28.15: characters that turn a name round stand as their code in every view, and in the title of the tab', async () => {
  const { state } = server
  const folder = addFolder(state, { name: `${NAME} folder` })
  const { id } = addItem(state, { name: NAME, folder: folder.id, bytes: Buffer.from('An invoice.') })
  addItem(state, { name: `2\u2067${NAME}`, status: '402 Payment Required' })
  const site = objectId()
  const facts = { version: 1, versions: 1, waiting: null, item: id, createdAt: nowSeconds() }
  state.sites.push({ id: site, name: NAME, host: 'a.localhost', url: 'http://a.localhost/', ...facts })
  const views = [
    ['/console/library', `Select 2[U+2067]${SHOWN}`],
    ['/console/library?name=invoice', `Select ${SHOWN}`],
    [`/console/library/folder/${folder.id}`, `${SHOWN} folder`],
    [`/console/item/${id}`, SHOWN],
    [`/console/item/${id}/receipt`, SHOWN],
    ['/console/sites', SHOWN],
    [`/console/sites/${site}`, SHOWN],
  ] as const
  for (const [path, shown] of views) {
    await page.goto(server.origin + path)
    await page.getByText(shown).or(page.getByLabel(shown)).first().waitFor()
    await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
    expect(await page.locator('body').textContent()).not.toMatch(CONTROLS)
    expect(await page.title()).not.toMatch(CONTROLS)
  }
  await page.goto(`${server.origin}/console/item/${id}`)
  await page.getByRole('heading', { level: 1, name: SHOWN }).waitFor()
  expect(await page.title()).toBe(`${SHOWN} · Hookline`)
})

it('a long name breaks no other word of its row, nor of the way back', async () => {
  const { id } = addItem(server.state, { name: `${'A name of a picture '.repeat(9)}${'x'.repeat(20)}` })
  await page.goto(`${server.origin}/console/library`)
  expect(await linesOf('td:has-text("Nativecoin")')).toBe(1)
  await page.goto(`${server.origin}/console/item/${id}`)
  expect(await linesOf('.crumb a')).toBe(1)
})

it('content that a browser cannot show as its type says so, and that it can be downloaded', async () => {
  const { id } = addItem(server.state, { name: 'harbour.jpg', mimetype: 'image/jpeg', bytes: Buffer.from('x') })
  await page.goto(`${server.origin}/console/item/${id}`)
  await page.getByText('This browser cannot show it.').waitFor()
  await page.getByText('It was stored with the type image/jpeg, and does not open as that. Download it').waitFor()
})

/** In how many lines the text of the first such element is. */
function linesOf(selector: string): Promise<number> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const range = element.ownerDocument.createRange()
      range.selectNodeContents(element)
      return new Set([...range.getClientRects()].map(({ top }) => top)).size
    })
}
