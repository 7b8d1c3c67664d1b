import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { axeViolations } from '../kit/check-accessibility.ts'
import { pickFiles } from '../kit/pick-files.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { upload } from '../kit/use-console.ts'
import { context, openForEachTest, page, server } from './open-for-each-test.ts'
import { nowSeconds, objectId, store } from './server/fake-state.ts'

openForEachTest()

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const form = () => page.getByRole('group', { name: 'How the folders are stored' })

async function folderOf(name: string, files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = join(await tempFolder(), name)
  await mkdir(join(folder, 'pages'), { recursive: true })
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content)
  return folder
}

const almanac = () => folderOf('almanac', { 'index.html': '<h1>Tides</h1>', 'pages/may.html': '<h1>May</h1>' })

async function choose(folder: string): Promise<void> {
  await page.goto(`${server.origin}/console/store`)
  await page.getByRole('button', { name: 'Choose a folder' }).waitFor()
  await pickFiles(page, folder)
}

/** What the service has, by name. */
const names = () =>
  [...server.state.items.values()]
    .map(({ name, files, status }) => [name, files, status])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))

it('29: a folder with a page at its top goes to a chain as one website, which is one item with one price', async () => {
  await choose(await almanac())
  await page.getByText('1 item. The folder almanac becomes one website').first().waitFor()
  expect(await form().getByRole('button', { name: 'As one website', pressed: true }).count()).toBe(1)
  await page.getByText('One item with one name.', { exact: false }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.getByText('The folder becomes one website.', { exact: false }).waitFor()
  await upload(page)
  await heading('Pay on Nativecoin').waitFor()
  expect(names()).toEqual([['almanac', 2, '402 Payment Required']])
})

it('29: a folder goes to a chain as files where that is chosen, or where it has no page at its top', async () => {
  await choose(await folderOf('notes', { 'a.txt': 'a', 'pages/b.txt': 'b' }))
  await page.getByText('2 items. The folders are kept in your library.').first().waitFor()
  expect(await form().getByRole('button', { name: 'As files', pressed: true }).count()).toBe(1)
  await form().getByRole('button', { name: 'As one website' }).click()
  await page.getByText('1 item. The folder notes becomes one website').first().waitFor()
  await form().getByRole('button', { name: 'As files' }).click()
  await upload(page)
  await heading('Pay on Nativecoin').waitFor()
  expect(names()).toEqual([
    ['a.txt', undefined, '402 Payment Required'],
    ['b.txt', undefined, '402 Payment Required'],
  ])
})

it('46: a file in too many folders is named before a price, and the rest is stored without it', async () => {
  const folder = await almanac()
  const deep = Array.from({ length: 32 }, (_, level) => `${level}`).join('/')
  await mkdir(join(folder, deep), { recursive: true })
  await writeFile(join(folder, deep, 'x.txt'), 'x')
  await choose(folder)
  await page
    .getByText(`almanac/${deep}/x.txt is in more than 32 folders, one in another. Leave it out.`)
    .first()
    .waitFor()
  expect(await page.getByRole('button', { name: 'Upload 3 files' }).isDisabled()).toBe(true)
  await page
    .getByRole('button', { name: `Leave out almanac/${deep}/x.txt` })
    .first()
    .click()
  await page.getByRole('button', { name: 'Upload 2 files' }).waitFor()
})

it('29: a website that is too large for a chain says so where it is chosen, and names IPFS', async () => {
  server.state.maxIncompressibleBytes = { Nativecoin: 60_000 }
  const files = { 'index.html': '<h1>Album</h1>', '1.jpg': randomBytes(40_000), '2.jpg': randomBytes(40_000) }
  await choose(await folderOf('album', files))
  const sentence =
    /^As one website album is 80\.\d\sKB\. Nativecoin takes 60\sKB\. Store its files one by one, or choose Bitcoin, Dogecoin or IPFS\.$/
  await page.getByText(sentence).waitFor()
  const press = page.getByRole('button', { name: 'Upload 3 files' })
  expect(await press.isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Store the files one by one' }).first().click()
  await page.getByText(sentence).waitFor({ state: 'detached' })
  expect(await press.isDisabled()).toBe(false)
  await form().getByRole('button', { name: 'As one website' }).click()
  await page.getByRole('button', { name: 'Store on IPFS instead' }).click()
  expect(await press.isDisabled()).toBe(false)
})

it('29: where an order is gone on with on another machine, it is asked how its folders are stored', async () => {
  server.refuse('POST', /^\/v0\/folder\/[0-9a-f]{24}\/merge$/, {
    status: 503,
    code: 'busy',
    message: 'A moment.',
    retryAfter: 600,
  })
  await choose(await almanac())
  await upload(page)
  await heading('Preparing 2 files').waitFor()
  const address = page.url()
  await page.close()
  server.allowAll()
  const there = await (await context.browser()?.newContext())?.newPage()
  if (!there) throw new Error('there is no browser')
  await there.goto(address)
  await there.getByText('Are the folders stored as websites, or file by file?', { exact: false }).waitFor()
  expect(await axeViolations(there)).toEqual([])
  expect(names().map(([name]) => name)).toEqual(['index.html', 'may.html'])
  await there.getByRole('button', { name: 'As one website' }).click()
  await there.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  expect(names()).toEqual([['almanac', 2, '402 Payment Required']])
  await there.context().close()
})

it('49.4: a site takes a dropped folder as its next version before it is paid, and shows it once it is stored', async () => {
  const id = objectId()
  const site = { id, name: 'The almanac', host: 'a.localhost', url: 'http://a.localhost/', item: null, waiting: null }
  server.state.sites.push({ ...site, version: null, versions: 0, createdAt: nowSeconds() })
  await page.goto(`${server.origin}/console/sites/${id}`)
  await page.getByRole('heading', { name: 'Update this site' }).waitFor()
  await pickFiles(page, await almanac())
  await heading('Store 2 files').waitFor()
  await expect.poll(() => page.getByLabel('Publish it').inputValue()).toBe(id)
  expect(await axeViolations(page)).toEqual([])
  await upload(page)
  await heading('Pay on Nativecoin').waitFor()
  const [item] = server.state.items.values()
  if (!item) throw new Error('nothing was merged')
  await expect
    .poll(() => server.state.versions.map((version) => [version.item, version.current]))
    .toEqual([[item.id, 'when_stored']])
  store(server.state, item)
  server.emit('item.stored', { id: item.id })
  await heading('2 files are in the chain').waitFor()
  await page.getByText('The site The almanac shows this version', { exact: false }).waitFor()
  expect(await axeViolations(page)).toEqual([])
})

it('49.4: a dropped folder is published as a new site of its name, unless it is only to be stored', async () => {
  await choose(await almanac())
  await expect.poll(() => page.getByLabel('Publish it').inputValue()).toBe('new')
  expect(await page.getByLabel('Name of the site').inputValue()).toBe('almanac')
  expect(await axeViolations(page)).toEqual([])
  await upload(page)
  await heading('Pay on Nativecoin').waitFor()
  const [item] = server.state.items.values()
  await expect.poll(() => server.state.sites.map(({ name }) => name)).toEqual(['almanac'])
  expect(server.state.versions).toMatchObject([{ item: item?.id, current: 'when_stored' }])

  await choose(await folderOf('notes', { 'index.html': '<h1>Notes</h1>' }))
  await page.getByLabel('Publish it').selectOption({ label: 'Only store it' })
  await expect.poll(() => page.getByLabel('Name of the site').count()).toBe(0)
  await upload(page)
  await heading('Pay on Nativecoin').waitFor()
  expect(server.state.sites.length).toBe(1)
})

it('57: an address that is chosen with a new site is set once the website is paid for', async () => {
  await choose(await almanac())
  await expect.poll(() => page.getByLabel('Publish it').inputValue()).toBe('new')
  const address = page.getByLabel('Address (if you want one)')
  await address.fill('a--b')
  await page.getByRole('checkbox', { name: /everybody can read this/ }).check()
  await page.getByRole('button', { name: 'Upload 2 files' }).click()
  await page.getByText('3 to 40 letters, digits and single hyphens', { exact: false }).waitFor()
  expect(server.state.items.size).toBe(0)
  await address.fill('tides')
  await page.getByLabel('Name of the site').fill('Tides and moons')
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Upload 2 files' }).click()
  await heading('Pay on Nativecoin').waitFor()
  await expect.poll(() => server.state.sites.length).toBe(1)
  expect(server.state.sites).toMatchObject([{ name: 'Tides and moons', address: null }])
  const [item] = server.state.items.values()
  if (!item) throw new Error('nothing was merged')
  store(server.state, item)
  server.emit('item.stored', { id: item.id })
  await page.getByText('The site Tides and moons is at').waitFor()
  await page.getByRole('link', { name: 'tides.storage.localhost' }).waitFor()
  expect(server.state.sites).toMatchObject([{ address: 'tides' }])
  expect(await axeViolations(page)).toEqual([])
})

it('57: an address that is refused after the payment says why, and leads to where another one is set', async () => {
  await choose(await almanac())
  await expect.poll(() => page.getByLabel('Publish it').inputValue()).toBe('new')
  await page.getByLabel('Address (if you want one)').fill('taken')
  await upload(page)
  await heading('Pay on Nativecoin').waitFor()
  await expect.poll(() => server.state.sites.length).toBe(1)
  const [item] = server.state.items.values()
  if (!item) throw new Error('nothing was merged')
  store(server.state, item)
  server.emit('item.stored', { id: item.id })
  await page.getByText('The site did not get the address taken.').waitFor()
  await page.getByText('is or was that of another site', { exact: false }).waitFor()
  await page.getByRole('link', { name: 'Set another one on the page of the site' }).click()
  await heading('almanac').waitFor()
})

function addSite(name: string): string {
  const id = objectId()
  const site = { id, name, host: 'a.localhost', url: 'http://a.localhost/', item: null, waiting: null }
  server.state.sites.push({ ...site, version: 1, versions: 1, createdAt: nowSeconds() })
  return id
}

it('49.4: a folder of the name of a site is proposed as its next version, which can be tried before it is shown', async () => {
  const id = addSite('almanac')
  await choose(await almanac())
  await expect.poll(() => page.getByLabel('Publish it').inputValue()).toBe(id)
  await page.getByRole('checkbox', { name: 'Try it first' }).check()
  await page.getByText('The site shows it when you say so.', { exact: false }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await upload(page)
  await heading('Pay on Nativecoin').waitFor()
  const [item] = server.state.items.values()
  if (!item) throw new Error('nothing was merged')
  expect(server.state.versions).toEqual([])
  store(server.state, item)
  server.emit('item.stored', { id: item.id })
  await page.getByText('It is a version of the site almanac, which does not show it yet.', { exact: false }).waitFor()
  expect(server.state.versions).toMatchObject([{ item: item.id, current: null }])
})

it('a site whose answer was lost is not made twice', async () => {
  const lost = { status: 0 }
  server.refuse('POST', /^\/v0\/site$/, lost)
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/v0/site'))
      keys.push(request.headers()['idempotency-key'])
  })
  await choose(await almanac())
  await upload(page)
  await heading('Pay on Nativecoin').waitFor()
  await expect.poll(() => keys.length).toBeGreaterThan(0)
  server.allowAll()
  const [item] = server.state.items.values()
  if (!item) throw new Error('nothing was merged')
  store(server.state, item)
  server.emit('item.stored', { id: item.id })
  await page.getByText('The site almanac shows this version', { exact: false }).waitFor()
  expect(keys.length).toBeGreaterThan(1)
  expect(new Set(keys)).toEqual(new Set([`site-of-${item.id}`]))
})
