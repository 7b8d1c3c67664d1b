import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { isFirefox } from '../kit/pick-files.ts'
import { context, openForEachTest, page, server } from './open-for-each-test.ts'
import { addItem, type FakeItem, nowSeconds, objectId } from './server/fake-state.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })
beforeEach(async () => {
  // Only Firefox requires the press of a button.
  if (!isFirefox(page)) await context.grantPermissions(['clipboard-write'], { origin: server.origin })
})

const row = (name: string) => page.getByRole('row').filter({ hasText: name })

async function openLibrary(search = ''): Promise<void> {
  await page.goto(`${server.origin}/console/library${search}`)
  await page.getByRole('table').waitFor()
}

it('console 31: names and folders come first, ids stand on the page of an item alone, and what failed is not among what is stored', async () => {
  const folder = objectId()
  server.state.folders.set(folder, {
    id: folder,
    name: 'almanac',
    blockchain: 'IPFS',
    parent: null,
    createdAt: nowSeconds(),
  })
  const tides = addItem(server.state, { name: 'tides.txt', folder })
  addItem(server.state, { name: 'broken-off.txt', status: '201 Created' })
  addItem(server.state, { name: 'foghorn.txt', status: '409 Conflict', message: 'The fee rose.' })
  await openLibrary('?status=200')
  expect(await page.getByRole('rowheader').allTextContents()).toEqual(['tides.txt in almanac'])
  expect(await page.getByText(tides.id).count()).toBe(0)

  await page.getByRole('link', { name: 'tides.txt' }).click()
  await page.getByRole('heading', { level: 1, name: 'tides.txt' }).waitFor()
  await page.getByRole('definition').filter({ hasText: tides.id }).waitFor()
  await page.getByRole('button', { name: 'Copy: Object id' }).click()
  await page.getByRole('button', { name: 'Copied: Object id' }).waitFor()
  await openLibrary()
  const search = page.getByRole('searchbox')
  await search.focus()
  await page.keyboard.press('ControlOrMeta+V')
  await expect.poll(() => search.inputValue()).toBe(tides.id)
})

it('console 32: pages are numbered with the total, rows have names, none is asked for alone, and focus stays', async () => {
  const items: FakeItem[] = []
  for (let n = 100; n < 220; n++) {
    items.push(addItem(server.state, { name: `${n}.txt`, status: '402 Payment Required', createdAt: n }))
  }
  await openLibrary()
  await page.getByText('1 to 50 of 120').waitFor()
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(50)
  expect(await page.getByRole('rowheader', { name: '219.txt' }).count()).toBe(1)
  await page.getByRole('link', { name: 'Page 3' }).click()
  await page.getByText('101 to 120 of 120').waitFor()
  expect(server.requests.filter((request) => /^GET \/v0\/item\/[0-9a-f]{24}/.test(request))).toEqual([])

  const box = page.getByRole('checkbox', { name: 'Select 110.txt' })
  await box.focus()
  const asked = () => server.requests.filter((request) => request === 'GET /v0/item').length
  const before = asked()
  const changed = items.find(({ name }) => name === '111.txt')
  if (changed) changed.status = '409 Conflict'
  await expect.poll(() => server.state.streams).toBeGreaterThan(0)
  server.emit('item.stopped', { id: changed?.id })
  await expect.poll(asked).toBeGreaterThan(before)
  await row('111.txt').getByText('Stopped').waitFor()
  expect(await box.evaluate((element) => element === document.activeElement)).toBe(true)
})

it('console 33: says of a bulk act what worked and what did not, from a bar that covers no header', async () => {
  addItem(server.state, { name: 'gone.txt', status: '402 Payment Required' })
  const kept = addItem(server.state, { name: 'kept.txt', status: '402 Payment Required' })
  addItem(server.state, { name: 'stored.txt' })
  server.refuse('DELETE', new RegExp(kept.id), { status: 409, code: 'in_payment', message: 'It is being paid for.' })
  await page.clock.install()
  await openLibrary()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('3 selected').waitFor()
  const boxOf = async (of: ReturnType<Page['locator']>) => (await of.boundingBox()) ?? { y: 0, height: 0 }
  const head = await boxOf(page.locator('thead'))
  expect((await boxOf(bar)).y).toBeGreaterThanOrEqual(head.y + head.height)

  const button = bar.getByRole('button', { name: 'Delete' })
  for (let presses = 0; presses < 40; presses++) {
    if (await button.evaluate((element) => element === document.activeElement)) break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  await bar.getByText('2 items will be deleted.').waitFor()
  await bar.getByRole('button', { name: 'Undo' }).waitFor()
  const said =
    '1 item deleted. Not deleted: kept.txt. ' +
    '1 item stays: what is paid for cannot be deleted, and what is written stays on the chain.'
  await expect
    .poll(async () => {
      await page.clock.fastForward(11_000)
      return bar.getByText(said).count()
    })
    .toBe(1)
  await expect.poll(() => row('gone.txt').count()).toBe(0)
  expect(await row('kept.txt').count()).toBe(1)
})
