import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { axeViolations, horizontalOverflow } from '../kit/check-accessibility.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { addItem } from './server/fake-state.ts'

openForEachTest({ viewport: { width: 320, height: 740 } })

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const row = (name: string) => page.getByRole('rowheader').filter({ hasText: name })
const button = (name: string) => page.getByRole('button', { name, exact: true })

/** What is wrong with the view, by axe and by its width on the narrowest phone. */
async function faults(): Promise<unknown[]> {
  const [found, over] = [await axeViolations(page), await horizontalOverflow(page)]
  return [...found, ...(over > 0 ? [`${over} px too wide`] : [])]
}

it('49.8: Hide takes an item out of the lists but that of the hidden ones, where it is had back', async () => {
  const { id } = addItem(server.state, { name: 'letter.txt' })
  addItem(server.state, { name: 'tides.txt' })
  await page.goto(`${server.origin}/console/item/${id}`)
  await heading('letter.txt').waitFor()
  expect(await faults()).toEqual([])
  await button('Hide').click()
  await page.getByText('It is hidden: it is in no list but under "Hidden".', { exact: false }).waitFor()
  await page.goto(`${server.origin}/console/library`)
  await row('tides.txt').waitFor()
  expect(await row('letter.txt').count()).toBe(0)
  await page.getByRole('link', { name: 'Hidden 1' }).click()
  await row('letter.txt').waitFor()
  expect(await row('tides.txt').count()).toBe(0)
  expect(await faults()).toEqual([])
  await page.getByRole('link', { name: 'letter.txt' }).click()
  await button('Show again').click()
  await button('Hide').waitFor()
  await page.goto(`${server.origin}/console/library`)
  await row('letter.txt').waitFor()
})

it('49.8: Take down is for IPFS alone, says before what stays elsewhere, and why it is refused', async () => {
  const chain = addItem(server.state, { name: 'letter.txt' })
  const { id } = addItem(server.state, { name: 'almanac', mimetype: 'inode/directory', blockchain: 'IPFS', files: 2 })
  await page.goto(`${server.origin}/console/item/${chain.id}`)
  await button('Hide').waitFor()
  expect(await button('Take down').count()).toBe(0)

  await page.goto(`${server.origin}/console/item/${id}`)
  await button('Take down').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('This cannot be undone.', { exact: false }).waitFor()
  await dialog.getByText('others who have a copy may go on showing it', { exact: false }).waitFor()
  expect(await faults()).toEqual([])
  const shown = { status: 409, code: 'item_shown', message: 'The site almanac shows this item.' }
  server.refuse('POST', /take-down$/, shown)
  await dialog.getByRole('button', { name: 'Take down' }).click()
  await dialog.getByText(shown.message).waitFor()
  expect(await faults()).toEqual([])
  server.allowAll()
  await dialog.getByRole('button', { name: 'Take down' }).click()
  await heading('Library').waitFor()
  await row('letter.txt').waitFor()
  expect(await row('almanac').count()).toBe(0)
  expect(server.requests).toContain(`POST /v0/item/${id}/take-down`)
})

it('49.10: the library is filtered by where and of which kind items are, and its rows have verified thumbnails', async () => {
  const bytes = readFileSync('examples/picture.jpg')
  addItem(server.state, { name: 'harbour.jpg', mimetype: 'image/jpeg', bytes })
  addItem(server.state, {
    name: 'jetty.jpg',
    mimetype: 'image/jpeg',
    blockchain: 'Bitcoin',
    status: '402 Payment Required',
  })
  addItem(server.state, { name: 'letter.txt' })
  await page.goto(`${server.origin}/console/library`)
  const picture = row('harbour.jpg').locator('.thumbnail img')
  await picture.waitFor()
  expect(await picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth)).toBe(1280)
  expect(await row('letter.txt').locator('.thumbnail').count()).toBe(0)
  await page.getByLabel('Kind').selectOption('Pictures')
  await row('letter.txt').waitFor({ state: 'detached' })
  await row('jetty.jpg').waitFor()
  await page.getByLabel('Where').selectOption('Nativecoin')
  await row('jetty.jpg').waitFor({ state: 'detached' })
  await row('harbour.jpg').waitFor()
  expect(new URL(page.url()).search).toBe('?target=Nativecoin&kind=picture')
  expect(await faults()).toEqual([])
  await page.getByLabel('Kind').selectOption('Sound')
  await page.getByText('Show all').waitFor()
  await page.reload()
  expect(await page.getByLabel('Kind').inputValue()).toBe('sound')
})
