import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DohServer, startDohServer } from '../kit/doh-server.ts'
import { storeFiles } from '../kit/store-files.ts'
import { storeItem } from '../kit/store-item.ts'
import { browser, openService, page, worker } from './open-service.ts'

const DOMAIN = 'www.almanac.localhost'

let doh: DohServer

beforeAll(async () => {
  doh = await startDohServer()
})
afterAll(() => doh.close())
const settings = (port: number) => ({ STORAGE_HOST: `storage.localhost:${port}`, DOH_URL: doh.url })
openService({ settings, account: 'user', opens: 'console' })

/** A directory of the account's as if it had been paid for and stored. */
async function storeDirectory(name: string, files: Record<string, string>): Promise<void> {
  const db = await worker.miniflare.getD1Database('DB')
  const owner = await db.prepare('SELECT id FROM users').first<{ id: string }>()
  const { root } = await storeFiles(worker, files)
  const id = await storeItem(db, { blockchain: 'IPFS', cid: root, name, ...(owner && { owner: owner.id }) })
  await db.prepare('UPDATE items SET directory_of = id WHERE id = ?').bind(id).run()
}

async function deploy(name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a version' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: new RegExp(name) }).check({ force: true })
  await dialog.getByRole('button', { name: 'Add it, to try it first' }).click()
  await dialog.waitFor({ state: 'detached' })
}

it('console 34 and 35: a site is made, shows versions, goes back by one press, and has a domain checked in steps', async () => {
  await storeDirectory('March', { 'index.html': '<title>March</title>' })
  await storeDirectory('Faulty', { 'index.html': '<title>Faulty</title>', _headers: 'X-Frame-Options: DENY\n' })
  await page.goto(`${worker.url}/console/sites`)
  await page.getByRole('button', { name: 'Make a site', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Name of the site').fill('The almanac')
  await page.getByRole('dialog').getByRole('button', { name: 'Make a site', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'The almanac' }).waitFor()
  const host = await page
    .getByRole('link', { name: /\.storage\.localhost/ })
    .first()
    .getAttribute('href')

  await deploy('March')
  await page.getByRole('button', { name: 'Show this version' }).click()
  await page.getByText('Shown now', { exact: true }).waitFor()
  const visitor = await browser.newPage()
  await visitor.goto(host ?? '')
  expect(await visitor.title()).toBe('March')

  await deploy('Faulty')
  await page.getByRole('button', { name: 'Show this version' }).first().click()
  const asking = page.getByRole('dialog')
  await asking.getByRole('heading', { name: 'Version 2 would answer with an error' }).waitFor()
  await visitor.reload()
  expect(await visitor.title()).toBe('March')
  await asking.getByRole('button', { name: 'Show it all the same' }).click()
  await asking.waitFor({ state: 'detached' })
  await page.getByText('shows version 2').waitFor()
  expect((await visitor.reload())?.status()).toBe(500)
  // The way back is one press.
  await page.getByRole('button', { name: 'Show this version' }).click()
  await page.getByText('shows version 1').waitFor()
  await page.getByText('A version that you add to try it first changes nothing').waitFor()
  await visitor.reload()
  expect(await visitor.title()).toBe('March')

  await page.getByRole('button', { name: 'Add a domain' }).click()
  await page.getByRole('dialog').getByLabel('Domain').fill(DOMAIN)
  await page.getByRole('dialog').getByRole('button', { name: 'Add it' }).click()
  await page.getByText('Waiting for its record').waitFor()
  const steps = page.locator('table.checks tbody tr')
  const names = ['Record', 'Target', 'Other records in the way', 'CAA', 'Certificate', 'Answer']
  expect(await steps.locator('td:first-child').allTextContents()).toEqual(names)
  const record = steps.filter({ hasText: 'Record' }).first()
  const { hostname, port } = new URL(host ?? '')
  doh.zone[DOMAIN] = [['CNAME', hostname]]
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('Points here').waitFor()
  // Each step shows what was found, what is required, and when it was checked.
  await record.getByText(hostname).first().waitFor()
  expect(await record.locator('td:last-child').textContent()).toMatch(/^\d\d:\d\d$/)
  await visitor.goto(`http://${DOMAIN}:${port}/`)
  expect(await visitor.title()).toBe('March')
})
