import { beforeEach, expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { ADDRESS, addPayment } from './server/add-payment.ts'
import { addItem, objectId } from './server/fake-state.ts'

openForEachTest()

let item: string
let site: string

beforeEach(() => {
  const { state } = server
  state.permissions = ['store', 'pay', 'operate', 'moderate', 'users']
  item = addItem(state, { name: 'letter.txt' }).id
  site = objectId()
  const version = { item, name: 'a', blockchain: 'IPFS', size: 9, url: 'http://v.localhost/', createdAt: 1, note: null }
  const shown = {
    name: 'Almanac',
    host: `${site}.localhost`,
    url: '',
    version: 1,
    item,
    versions: 2,
    waiting: null,
    createdAt: 1,
  }
  state.sites.push({ id: site, ...shown })
  state.versions.push(
    { ...version, number: 2, status: '200 OK', current: null, periods: [] },
    { ...version, number: 1, status: '200 OK', current: null, periods: [] },
  )
  addPayment(state)
})

/** Goes to another view as a link does, without loading the console again. */
async function go(path: string): Promise<void> {
  await page.evaluate((to) => {
    const link = document.createElement('a')
    link.href = to
    document.body.append(link)
    link.click()
    link.remove()
  }, `/console/${path}`)
}

/** Each view that reads something. */
const views = () => [
  'store',
  'library',
  `item/${item}`,
  `item/${item}/receipt`,
  'sites',
  `sites/${site}`,
  'money',
  `pay/${ADDRESS}`,
  'money/withdraw',
  'account',
  'operate/health',
  'operate/failed-records',
  'operate/reports',
  'operate/denylist',
  'operate/users',
  'operate/reconciliation',
  'operate/audit',
]

it('console 39: no view is empty or breaks when each of its calls is refused, whatever the status', {
  timeout: 300_000,
}, async () => {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.goto(`${server.origin}/console/library`)
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor()
  for (const status of [403, 429, 503, 0]) {
    server.allowAll()
    server.refuse('GET', /^\/v0\//, { status, code: 'refused', message: 'It was refused.', retryAfter: 60 })
    server.refuse('POST', /^\/v0\/estimate/, { status, code: 'refused', message: 'It was refused.', retryAfter: 60 })
    for (const path of views()) {
      await go(path)
      await expect.poll(() => page.url(), { message: path }).toContain(path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await expect.poll(() => page.getByRole('alert').count(), { message: `${status} ${path}` }).toBeGreaterThan(0)
      const said = await page.getByRole('alert').first().textContent()
      expect(said, `${status} ${path}`).toMatch(/[A-Z][^.]+\./)
      expect(
        (await page.getByRole('alert').getByRole('button', { name: 'Try again' }).count()) > 0,
        `${status} ${path}`,
      ).toBe(status !== 403)
    }
  }
  expect(faults).toEqual([])
})

it('console 39: what a dialog or a button could not do is said there, and what was typed is kept', async () => {
  const refuse = (method: string, path: RegExp) =>
    server.refuse(method, path, { status: 503, code: 'down', message: 'It is down.' })
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) refuse(method, /^\/v0\/(?!estimate)/)
  const dialog = page.getByRole('dialog')
  const refusedIn = async (path: string, open: string, act: string, label?: string) => {
    await go(path)
    await page.getByRole('button', { name: open }).first().click()
    if (label !== undefined) await dialog.getByLabel(label).fill('kept')
    await dialog.getByRole('button', { name: act }).click()
    await dialog.getByRole('alert').getByText('It is down.').waitFor()
    if (label !== undefined) expect(await dialog.getByLabel(label).inputValue()).toBe('kept')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  }
  await page.goto(`${server.origin}/console/store`)
  await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
  await refusedIn('library', 'New folder', 'Make the folder', 'Name of the folder')
  await refusedIn('sites', 'Make a site', 'Make a site', 'Name of the site')
  await refusedIn('account', 'Make a key', 'Make a key', 'What it is for')
  await refusedIn('account', 'Revoke', 'Revoke')
  await refusedIn('account', 'Close the account', 'Close the account', 'Password')
  await refusedIn(`pay/${ADDRESS}`, 'Cancel the order', 'Remove 1 file')

  const refusedBeside = async (path: string, press: string) => {
    await go(path)
    await page.getByRole('button', { name: press }).first().click()
    await page.getByRole('alert').getByText('It is down.').waitFor()
  }
  await refusedBeside('account', 'End it')
  await refusedBeside(`sites/${site}`, 'Show this version')
  refuse('GET', /^\/v0\/payment\/Nativecoin$/)
  await refusedBeside('money', 'Get an address on Nativecoin')
})
