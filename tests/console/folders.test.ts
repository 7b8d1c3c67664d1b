import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { axeViolations } from '../kit/check-accessibility.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { addFolder, addItem } from './server/fake-state.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })

const library = '/console/library'
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const row = (name: string) => page.getByRole('row').filter({ hasText: name })
const dialog = () => page.getByRole('dialog')

async function open(path: string): Promise<void> {
  await page.goto(server.origin + path)
}

it('28.5: a folder has its own title, the path to it and its own counts', async () => {
  const almanac = addFolder(server.state, { name: 'almanac' })
  const november = addFolder(server.state, { name: 'november', parent: almanac.id })
  addItem(server.state, { name: 'tides.txt', folder: november.id })
  addItem(server.state, { name: 'cover.txt', folder: almanac.id })
  addItem(server.state, { name: 'elsewhere.txt' })
  await open(library)
  await page.getByText('3 items in all').waitFor()
  await page.getByText('1 to 1 of 1 outside folders').waitFor()
  await page.getByRole('link', { name: /^almanac/ }).click()
  await heading('almanac').waitFor()
  await page.getByText('2 files in it and below. Permanent, on Nativecoin.').waitFor()
  await page.getByRole('link', { name: /^november/ }).click()
  await heading('november').waitFor()
  await expect.poll(() => page.title()).toBe('november · Hookline')
  await page.getByText('1 file in it and below.', { exact: false }).waitFor()
  // The rows of a folder do not name it, and the counts of the account are not shown as those of the folder.
  await expect.poll(() => page.getByRole('rowheader').allTextContents()).toEqual(['tides.txt '])
  expect(await page.getByText('3 items in all').count()).toBe(0)
  const filters = page.getByRole('navigation', { name: 'Filter by state' })
  expect((await filters.textContent())?.replace(/\s+/g, ' ').trim()).toBe('All Stored Writing Unpaid Uploading Stopped')
  const path = page.getByRole('main').getByRole('navigation', { name: 'Back' })
  expect(await path.getByRole('link').allTextContents()).toEqual(['Library', 'almanac'])
  await path.getByRole('link', { name: 'almanac' }).click()
  await heading('almanac').waitFor()
})

it('28.5: a folder is renamed, moved and deleted where it is open; a refusal keeps what was typed', async () => {
  const letters = addFolder(server.state, { name: 'letters' })
  addFolder(server.state, { name: 'taken' })
  addFolder(server.state, { name: 'on Bitcoin', blockchain: 'Bitcoin' })
  await open(`${library}/folder/${letters.id}`)
  await heading('letters').waitFor()
  await page.getByRole('button', { name: 'Rename' }).click()
  await dialog().getByLabel('New name').fill('taken')
  await dialog().getByRole('button', { name: 'Rename' }).click()
  await dialog().getByText('A folder of that name lies there already.').waitFor()
  expect(await dialog().getByLabel('New name').inputValue()).toBe('taken')
  await expect
    .poll(() =>
      dialog()
        .getByRole('alert')
        .evaluate((alert) => alert === document.activeElement),
    )
    .toBe(true)
  await dialog().getByLabel('New name').fill('post')
  await dialog().getByRole('button', { name: 'Rename' }).click()
  await heading('post').waitFor()

  await page.getByRole('button', { name: 'Move', exact: true }).click()
  // It can be moved neither into itself nor into a folder of another target.
  await dialog().getByRole('button', { name: 'taken' }).waitFor()
  expect(await dialog().getByRole('listitem').allTextContents()).toEqual(['taken'])
  await dialog().getByRole('button', { name: 'taken' }).click()
  await dialog().getByRole('button', { name: 'Move into taken' }).click()
  await page.getByRole('main').getByRole('link', { name: 'taken' }).waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await heading('taken').waitFor()
  await page.getByText('Nothing is in this folder.').waitFor()
})

it('a search shows only the folders that match, after more of the others were read', async () => {
  for (const name of ['almanac', 'november']) addFolder(server.state, { name })
  await page.route('**/v0/folder?parent=none*', async (route) => {
    const response = await route.fetch()
    const { folders } = await response.json()
    const later = new URL(route.request().url()).searchParams.has('cursor')
    await route.fulfill({ json: later ? { folders: folders.slice(1) } : { folders: folders.slice(0, 1), cursor: '1' } })
  })
  await open(library)
  await page.getByRole('button', { name: 'Show more folders' }).click()
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(2)
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('alma')
  await expect.poll(() => page.getByRole('rowheader').allTextContents()).toEqual(['almanac 0 files'])
})

it('28.5: folders and items are selected together, moved, and deleted as far as that can be', async () => {
  const archive = addFolder(server.state, { name: 'archive' })
  const empty = addFolder(server.state, { name: 'empty' })
  addItem(server.state, { name: 'old.txt', folder: archive.id })
  addItem(server.state, { name: 'a.txt', status: '402 Payment Required' })
  addItem(server.state, { name: 'b.txt', status: '402 Payment Required' })
  await page.clock.install()
  await open(library)
  for (const name of ['empty', 'a.txt']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Move' }).click()
  await dialog().getByRole('heading', { name: 'Move 2 items' }).waitFor()
  await dialog().getByRole('button', { name: 'archive' }).click()
  await dialog().getByRole('button', { name: 'Move into archive' }).click()
  await expect.poll(() => row('a.txt').count()).toBe(0)
  expect(server.state.folders.get(empty.id)?.parent).toBe(archive.id)

  for (const name of ['archive', 'b.txt']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await bar.getByRole('button', { name: 'Delete' }).click()
  await bar.getByText('1 item will be deleted.').waitFor()
  await expect
    .poll(async () => {
      await page.clock.fastForward(11_000)
      return bar.getByText('1 item deleted. Not empty, so not deleted: archive.').count()
    })
    .toBe(1)
  await expect.poll(() => row('b.txt').count()).toBe(0)
  expect(await row('archive').count()).toBe(1)
})

it('the media type of an item is corrected on its page, and what its name says is proposed', async () => {
  const { id } = addItem(server.state, { name: 'page.html', mimetype: 'text/plain' })
  await page.goto(`${server.origin}/console/item/${id}`)
  await page.getByRole('button', { name: 'Change the type' }).click()
  const change = dialog().getByRole('button', { name: 'Change the type' })
  expect(await change.isDisabled()).toBe(true)
  await dialog().getByLabel('Media type').fill('html')
  await dialog().getByLabel('Media type').blur()
  await dialog().getByText('Type two words with a slash between them', { exact: false }).waitFor()
  await dialog().getByRole('button', { name: 'Use text/html, as its name says' }).click()
  expect(await axeViolations(page)).toEqual([])
  await change.click()
  await page.getByText('HTML page, ', { exact: false }).waitFor()
  expect(server.state.items.get(id)?.mimetype).toBe('text/html')
})

it('28.5: an item is renamed and moved on its page', async () => {
  addFolder(server.state, { name: 'letters' })
  const { id } = addItem(server.state, { name: 'soup.txt' })
  await open(`/console/item/${id}`)
  await heading('soup.txt').waitFor()
  await page.getByRole('button', { name: 'Rename' }).click()
  await dialog().getByLabel('New name').fill('recipe.txt')
  await dialog().getByRole('button', { name: 'Rename' }).click()
  await heading('recipe.txt').waitFor()
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await dialog().getByRole('button', { name: 'letters' }).click()
  await dialog().getByRole('button', { name: 'Move into letters' }).click()
  await page.getByRole('definition').getByRole('link', { name: 'letters' }).click()
  await heading('letters').waitFor()
  await expect.poll(() => page.getByRole('rowheader').allTextContents()).toEqual(['recipe.txt '])
})

it('28.5: a search finds folders of every place, and what failed to move says why', async () => {
  const almanac = addFolder(server.state, { name: 'almanac' })
  addFolder(server.state, { name: 'november tides', parent: almanac.id })
  addItem(server.state, { name: 'tides.txt', folder: almanac.id })
  addItem(server.state, { name: 'tides.txt' })
  await open(library)
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('tides')
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(3)
  expect(await page.getByRole('rowheader').first().textContent()).toContain('november tides')
  await page.getByRole('link', { name: /^november tides/ }).click()
  await heading('november tides').waitFor()

  server.refuse('PATCH', /^\/v0\/item\//, {
    status: 409,
    code: 'name_taken',
    message: 'An item of that name is there.',
  })
  await open(library)
  await page.getByRole('checkbox', { name: 'Select tides.txt' }).check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByRole('button', { name: 'Move' }).click()
  await dialog().getByRole('button', { name: 'almanac' }).click()
  await dialog().getByRole('button', { name: 'Move into almanac' }).click()
  await bar.getByText('0 items moved. tides.txt: An item of that name is there.').waitFor()
})

it('28.5: a folder that became a directory on IPFS is listed once, as the item that it is', async () => {
  const { id } = addItem(server.state, { name: 'site', blockchain: 'IPFS', mimetype: 'text/html' })
  addFolder(server.state, { name: 'site', blockchain: 'IPFS', item: id })
  addFolder(server.state, { name: 'drafts', blockchain: 'IPFS' })
  await open(library)
  await page.getByRole('rowheader').first().waitFor()
  expect((await page.getByRole('rowheader').allTextContents()).map((text) => text.trim())).toEqual([
    'drafts 0 files',
    'site',
  ])
})

it('28.15: arrows, Space and Enter work from the names of a list as from its boxes', async () => {
  addFolder(server.state, { name: 'letters' })
  addItem(server.state, { name: 'a.txt', createdAt: 2 })
  addItem(server.state, { name: 'b.txt', createdAt: 1 })
  await open(library)
  await page.getByRole('link', { name: /^letters/ }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowDown')
  await page.getByText('2 selected').waitFor()
  for (const name of ['a.txt', 'b.txt']) {
    expect(await page.getByRole('checkbox', { name: `Select ${name}` }).isChecked()).toBe(true)
  }
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await heading('letters').waitFor()
})

it('28.15: a folder as a tile shows four of its pictures, each verified', async () => {
  const album = addFolder(server.state, { name: 'album' })
  const bytes = readFileSync(new URL('../../docs/sample.jpg', import.meta.url))
  for (let n = 0; n < 5; n++) {
    addItem(server.state, { name: `${n}.jpg`, mimetype: 'image/jpeg', bytes, folder: album.id })
  }
  await open(library)
  await page.getByRole('button', { name: 'Tiles' }).click()
  const tile = page.getByRole('link', { name: /^album/ })
  await expect.poll(() => tile.locator('img:visible').count()).toBe(4)
})

it('28.5: in a library that is empty a folder can be made', async () => {
  await open(library)
  await page.getByRole('heading', { name: 'Nothing stored yet' }).waitFor()
  await page.getByRole('button', { name: 'New folder' }).click()
  await dialog().getByLabel('Name of the folder').fill('letters')
  await dialog().getByRole('button', { name: 'Make the folder' }).click()
  await page.getByRole('rowheader', { name: 'letters 0 files' }).waitFor()
})
