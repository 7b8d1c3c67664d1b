import { expect, it } from 'vitest'
import { axeViolations } from '../kit/check-accessibility.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { addItem, nowSeconds, objectId } from './server/fake-state.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const dialog = () => page.getByRole('dialog')

function addSite(name: string, fields: { version: number | null; versions: number }): string {
  const id = objectId()
  const site = { id, name, host: `${id}.storage.localhost`, url: `http://${id}.localhost/`, item: null, ...fields }
  server.state.sites.push({ ...site, waiting: null, createdAt: nowSeconds() })
  return id
}

it('28.9: a site is renamed and deleted, and its versions are counted while none is shown', async () => {
  const id = addSite('Letters', { version: null, versions: 2 })
  addSite('Empty', { version: null, versions: 0 })
  addSite('One', { version: null, versions: 1 })
  await page.goto(`${server.origin}/console/sites`)
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row('Letters').getByText('2 versions, none shown').waitFor()
  await row('One').getByText('1 version, none shown').waitFor()
  await row('Empty').getByText('No version yet').waitFor()
  await page.getByRole('link', { name: 'Letters' }).click()
  await heading('Letters').waitFor()
  await page.getByText('shows none of its 2 versions yet').waitFor()
  await page.getByRole('button', { name: 'Rename' }).click()
  await dialog().getByLabel('New name').fill('Letters home')
  await dialog().getByRole('button', { name: 'Rename' }).click()
  await heading('Letters home').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog().getByText(`${id}.storage.localhost shows nothing any more`, { exact: false }).waitFor()
  await dialog().getByRole('button', { name: 'Delete the site' }).click()
  await heading('Sites').waitFor()
  await row('One').waitFor()
  expect(await row('Letters').count()).toBe(0)
})

it('28.9: only what is a site can be picked for one, however many other items there are', async () => {
  const id = addSite('Letters', { version: 1, versions: 1 })
  for (let n = 0; n < 60; n++) addItem(server.state, { name: `${n}.txt`, createdAt: 1000 + n })
  addItem(server.state, {
    name: 'March',
    mimetype: 'application/x-directory',
    blockchain: 'IPFS',
    files: 3,
    createdAt: 1,
  })
  addItem(server.state, { name: 'page.html', mimetype: 'text/html; charset=utf-8', createdAt: 2 })
  await page.goto(`${server.origin}/console/sites/${id}`)
  await page.getByRole('button', { name: 'Add a version' }).click()
  await dialog().getByRole('radio').first().waitFor()
  expect((await dialog().locator('label:has(input[type=radio])').allTextContents()).map((text) => text.trim())).toEqual(
    ['page.html page, 1 Jan 1970', 'March 3 files, 1 Jan 1970'],
  )
})

it('a domain is taken as it is pasted, with its scheme and in letters of any script', async () => {
  await page.goto(`${server.origin}/console/sites/${addSite('Letters', { version: 1, versions: 1 })}`)
  await page.getByRole('button', { name: 'Add a domain' }).click()
  const add = dialog().getByRole('button', { name: 'Add it' })
  const field = dialog().getByLabel('Domain')
  await field.fill('https://www.mybakery.com/about')
  expect(await add.isDisabled()).toBe(false)
  await field.fill('Bücher.example')
  await dialog().getByText('In DNS it is written xn--bcher-kva.example.').waitFor()
  expect(await add.isDisabled()).toBe(false)
  await field.fill('bakery')
  await field.blur()
  await dialog().getByText('Type a domain, such as www.example.com.').waitFor()
  expect(await add.isDisabled()).toBe(true)
})

it('28.9: a domain is offered where the service takes one and the site shows something, and else it is said why not', async () => {
  const shown = addSite('Letters', { version: 1, versions: 1 })
  const empty = addSite('Empty', { version: null, versions: 0 })
  const add = page.getByRole('button', { name: 'Add a domain' })
  await page.goto(`${server.origin}/console/sites/${shown}`)
  await add.waitFor()
  await page.goto(`${server.origin}/console/sites/${empty}`)
  await page.getByText('A domain can be added once the site shows a version.').waitFor()
  expect(await add.count()).toBe(0)
  server.state.takesDomains = false
  await page.goto(`${server.origin}/console/sites/${shown}`)
  await page.getByText('This service takes no domains: its operator has set no resolver.', { exact: false }).waitFor()
  expect(await add.count()).toBe(0)
})

it('49.4: a stored website is offered where there is no site yet, and becomes one by one press', async () => {
  await page.goto(`${server.origin}/console/sites`)
  await page.getByRole('heading', { name: 'No site yet' }).waitFor()
  const { id } = addItem(server.state, { name: 'March', mimetype: 'inode/directory', blockchain: 'IPFS', files: 3 })
  addItem(server.state, { name: 'letter.txt' })
  await page.reload()
  await page.getByRole('heading', { name: 'Stored websites that no site shows' }).waitFor()
  expect(await page.getByText('No site yet').count()).toBe(0)
  expect(await page.getByText('letter.txt').count()).toBe(0)
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Make a site of it March' }).click()
  await heading('March').waitFor()
  expect(server.state.versions).toMatchObject([{ item: id }])
})

it('49.4: a version that is not shown says why, and what to do', async () => {
  const id = addSite('Letters', { version: 1, versions: 3 })
  const item = addItem(server.state, { name: 'March', files: 3, status: '202 Accepted' })
  const version = { item: item.id, name: 'March', note: null, blockchain: 'IPFS', size: 3, url: 'http://v.localhost/' }
  const waits = { ...version, number: 3, status: item.status, current: 'when_stored', periods: [], createdAt: 3 }
  server.state.versions.push(waits)
  await page.goto(`${server.origin}/console/sites/${id}`)
  await page.getByText('Version 3 is shown once it is stored', { exact: false }).waitFor()
  await page.getByText('Shown once it is stored', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Show this version' }).count()).toBe(0)
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'See how far it is' }).first().click()
  await heading('March').waitFor()

  Object.assign(waits, { status: '200 OK', current: 'site_fails' })
  await page.goto(`${server.origin}/console/sites/${id}`)
  await page.getByText('Version 3 is stored, but not shown', { exact: false }).waitFor()
  await page.getByText('Not shown: it would answer with an error').waitFor()
  await page.getByRole('button', { name: 'Show this version' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
})

it('57: a site gets an address, which is its link from then on, is changed and ended', async () => {
  const id = addSite('Letters', { version: 1, versions: 1 })
  await page.goto(`${server.origin}/console/sites/${id}`)
  await page.getByText(`The site has no readable address, only ${id}.storage.localhost.`).waitFor()
  await page.getByRole('button', { name: 'Set an address' }).click()
  await dialog().getByLabel('Address').fill('Almanac')
  await dialog().getByText('almanac.storage.localhost', { exact: true }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Set it' }).click()
  await dialog().waitFor({ state: 'detached' })
  const links = page.getByRole('link', { name: 'almanac.storage.localhost' })
  await expect.poll(() => links.count()).toBe(2)
  expect(await page.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe('http://almanac.storage.localhost/')
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await heading('Sites').waitFor()
  await links.waitFor()
  await page.getByRole('link', { name: 'Letters' }).click()
  await page.getByRole('button', { name: 'Change the address' }).click()
  await dialog().getByText('almanac leads to the new one for 30 days', { exact: false }).waitFor()
  await dialog().getByLabel('Address').fill('calendar')
  await dialog().getByRole('button', { name: 'Set it' }).click()
  await page.getByRole('link', { name: 'calendar.storage.localhost' }).first().waitFor()
  await page.getByRole('button', { name: 'End it' }).click()
  await dialog().getByText(`It leads to ${id}.storage.localhost for 30 days`, { exact: false }).waitFor()
  await dialog().getByRole('button', { name: 'End it' }).click()
  await page.getByRole('button', { name: 'Set an address' }).waitFor()
  expect(server.state.sites).toMatchObject([{ address: null }])
})

it('57: an address that is not one cannot be sent, and one that is refused says the rule', async () => {
  await page.goto(`${server.origin}/console/sites/${addSite('Letters', { version: 1, versions: 1 })}`)
  await page.getByRole('button', { name: 'Set an address' }).click()
  const field = dialog().getByLabel('Address')
  const send = dialog().getByRole('button', { name: 'Set it' })
  for (const wrong of ['ab', 'a--b', 'cafe', '1st', 'my site']) {
    await field.fill(wrong)
    expect([wrong, await send.isDisabled()]).toEqual([wrong, true])
  }
  await field.blur()
  await dialog().getByText('3 to 40 letters, digits and single hyphens', { exact: false }).waitFor()
  await field.fill('www')
  await send.click()
  await dialog().getByText('This service keeps this address for itself.', { exact: false }).waitFor()
  await field.fill('taken')
  await send.click()
  await dialog().getByText('is or was that of another site', { exact: false }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  expect(server.state.sites[0]).not.toHaveProperty('address')
})
