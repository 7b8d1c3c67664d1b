import { beforeEach, expect, it } from 'vitest'
import { axeViolations } from '../kit/check-accessibility.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { addFolder, addItem, nowSeconds, objectId } from './server/fake-state.ts'

openForEachTest({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' })

let item: string
let folder: string
const site = objectId()

beforeEach(() => {
  const { state } = server
  state.permissions = ['store', 'pay', 'operate', 'moderate', 'users']
  folder = addFolder(state, { name: 'almanac' }).id
  addFolder(state, { name: 'letters' })
  item = addItem(state, { name: 'tides.html', mimetype: 'text/html', status: '402 Payment Required' }).id
  addItem(state, { name: 'page.html', mimetype: 'text/html' })
  const facts = { version: 1, versions: 1, waiting: null, item, createdAt: nowSeconds() }
  state.sites.push({ id: site, name: 'Almanac', host: 'a.localhost', url: 'http://a.localhost/', ...facts })
})

const DIALOGS = [
  ['New folder', () => '/console/library'],
  ['Rename', () => `/console/library/folder/${folder}`],
  ['Move', () => `/console/library/folder/${folder}`],
  ['Delete', () => `/console/library/folder/${folder}`],
  ['Rename', () => `/console/item/${item}`],
  ['Move', () => `/console/item/${item}`],
  ['Make a site', () => '/console/sites'],
  ['Add a version', () => `/console/sites/${site}`],
  ['Add a domain', () => `/console/sites/${site}`],
  ['Delete', () => `/console/sites/${site}`],
  ['Add a webhook', () => '/console/account/webhooks'],
  ['Make a key', () => '/console/account'],
  ['Close the account', () => '/console/account'],
  ['Dismiss', () => '/console/operate/reports'],
  ['Deny a name', () => '/console/operate/denylist'],
] as const

it.each(DIALOGS)('axe finds nothing in the dialog "%s", on a phone, light and dark', async (button, path) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(server.origin + path())
    await page.getByRole('button', { name: button, exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0)
    expect(await axeViolations(page)).toEqual([])
    // It fits the window.
    const width = await page.getByRole('dialog').evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)
    expect(width).toBe(0)
  }
})

it('axe finds nothing in tiles, in a selection, in what is not there and in a library that is empty', async () => {
  await page.goto(`${server.origin}/console/library`)
  await page.getByRole('checkbox', { name: 'Select tides.html' }).check()
  await page.getByRole('region', { name: 'Selection' }).getByText('to pay', { exact: false }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Tiles' }).click()
  await page.getByRole('link', { name: /^almanac/ }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  for (const path of [`/console/library/folder/${objectId()}`, `/console/item/${objectId()}`, '/console/nowhere']) {
    await page.goto(server.origin + path)
    await page.getByRole('heading', { level: 1, name: /There is no|nothing|not here/i }).waitFor()
    expect(await axeViolations(page)).toEqual([])
  }
  server.state.items.clear()
  server.state.folders.clear()
  await page.goto(`${server.origin}/console/library`)
  await page.getByRole('heading', { name: 'Nothing stored yet' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
})

it('asks for the password of the email address that the account has now, whichever the token has', async () => {
  await page.route(`${server.origin}/v0/user`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), email: 'ann@new.example.com' } })
  })
  server.refuse('POST', /^\/v0\/user\/keys/, { status: 403, code: 'login_again', message: 'Log in again.' })
  await page.goto(`${server.origin}/console/account`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Make a key', exact: true }).click()
  await dialog.getByLabel('What it is for').fill('backups')
  await dialog.getByRole('button', { name: 'Make a key' }).click()
  await dialog.getByText('This needs that you signed in within the last', { exact: false }).waitFor()
  const login = page.waitForRequest(
    (request) => request.url().endsWith('/console/session') && request.method() === 'POST',
  )
  await dialog.getByLabel('Password').fill('Correct1')
  await dialog.getByRole('button', { name: 'Go on' }).click()
  expect((await login).postDataJSON()).toMatchObject({ email: 'ann@new.example.com' })
})
