import { expect, it } from 'vitest'
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
