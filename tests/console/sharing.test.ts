import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { axeViolations } from '../kit/check-accessibility.ts'
import { pickFiles } from '../kit/pick-files.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { addItem } from './server/fake-state.ts'

openForEachTest()

it('28.12: a stored item has one link to open, to share and to scan, and its own address is explained', async () => {
  await page.addInitScript(() => {
    Reflect.set(Navigator.prototype, 'share', async (shared: object) => void Reflect.set(window, 'shared', shared))
  })
  const { id } = addItem(server.state, { name: 'letter.txt' })
  const link = `${server.origin}/v0/content/${id}`
  await page.goto(`${server.origin}/console/item/${id}`)
  expect(await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')).toBe(link)
  await page.getByRole('button', { name: 'Share' }).click()
  const shared = () => page.evaluate(() => Reflect.get(window, 'shared'))
  await expect.poll(shared).toEqual({ title: 'letter.txt', url: link })
  // What is shown above the button moves it until then.
  await page.getByText('That it is mined', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'QR code' }).click()
  await page.getByRole('img', { name: `QR code: ${link}` }).waitFor()
  await page.getByText('There it is a page by itself', { exact: false }).waitFor()
})

it('the link of a website is its own address, and the one by its name is for programs', async () => {
  const { id } = addItem(server.state, { name: 'almanac', mimetype: 'inode/directory', files: 2 })
  const link = `http://${id}.storage.localhost/`
  await page.goto(`${server.origin}/console/item/${id}`)
  expect(await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')).toBe(link)
  await page.locator('.proof-row').getByRole('button').waitFor()
  await page.getByRole('button', { name: 'QR code' }).click()
  await page.getByRole('img', { name: `QR code: ${link}` }).waitFor()
  await page.locator('.copy-field', { hasText: 'By its name, for programs' }).getByText('/v0/web/').waitFor()
})

it('an item of 64 transactions shows its link first, and its transactions when they are unfolded', async () => {
  await page.setViewportSize({ width: 320, height: 740 })
  const { id } = addItem(server.state, { name: 'page.txt', blockchain: 'Dogecoin', bytes: randomBytes(64 * 80) })
  await page.goto(`${server.origin}/console/item/${id}`)
  await page.getByRole('button', { name: 'QR code' }).waitFor()
  const folded = page.getByRole('group').getByText(/^6\d transactions$/)
  await folded.waitFor()
  expect(await page.getByRole('table', { name: 'Transactions' }).count()).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(3_000)
  await folded.click()
  await page.getByRole('table', { name: 'Transactions' }).getByRole('row').nth(60).waitFor()
  expect(await axeViolations(page)).toEqual([])
})

it('28.12: where the browser cannot share, nothing offers it', async () => {
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'share'))
  const { id } = addItem(server.state, { name: 'letter.txt' })
  await page.goto(`${server.origin}/console/item/${id}`)
  await page.getByRole('button', { name: 'QR code' }).waitFor()
  expect(await page.getByRole('button', { name: 'Share' }).count()).toBe(0)
})

it('28.12: what was stored before is said when it is chosen again, with the day and the way to it', async () => {
  const content = Buffer.alloc(200, 'x')
  const { id } = addItem(server.state, { name: 'old.txt', bytes: content, createdAt: Date.UTC(2026, 4, 3, 12) / 1000 })
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(page, [
    { name: 'letter.txt', buffer: content },
    { name: 'other.txt', buffer: Buffer.alloc(9, 'y') },
  ])
  const said = page.getByText('You stored letter.txt on 3 May 2026: here it is.')
  await said.waitFor()
  expect(await said.getByRole('link', { name: 'here it is' }).getAttribute('href')).toBe(`/console/item/${id}`)
  expect(await page.getByText('You stored other.txt', { exact: false }).count()).toBe(0)
})
