import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { ADDRESS, addPayment } from './server/add-payment.ts'
import { addFolder, addItem } from './server/fake-state.ts'

const SCREEN = { width: 360, height: 740 }

openForEachTest({ viewport: SCREEN })

async function boxOf(element: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await element.waitFor()
  const box = await element.boundingBox()
  if (!box) throw new Error('it is not to be seen')
  return box
}

async function topOf(element: Locator): Promise<number> {
  return (await boxOf(element)).y
}

it('28.14: amount and address stand before the code', async () => {
  addPayment(server.state)
  await page.goto(`${server.origin}/console/pay/${ADDRESS}`)
  const code = await topOf(page.locator('.qr'))
  expect(await topOf(page.getByText('Send exactly'))).toBeLessThan(code)
  expect(await topOf(page.getByText('Address on Nativecoin, for this order only'))).toBeLessThan(code)
})

it('28.14: the press for uploading is in reach, however much was chosen', async () => {
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(
    page,
    Array.from({ length: 30 }, (_, index) => ({ name: `${index}.txt`, buffer: Buffer.alloc(9, 'x') })),
  )
  const press = page.getByRole('button', { name: 'Upload 30 files' })
  await press.waitFor()
  const box = await press.boundingBox()
  const bar = await page.getByRole('navigation', { name: 'Main' }).boundingBox()
  expect((box?.y ?? SCREEN.height) + (box?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
})

it('28.14: the chain of a folder is under its name', async () => {
  addFolder(server.state, { name: 'almanac' })
  await page.goto(`${server.origin}/console/library`)
  const name = page.getByRole('link', { name: /^almanac/ })
  const chain = page.getByRole('row').filter({ hasText: 'almanac' }).getByText('Nativecoin')
  const [above, below] = [await boxOf(name), await boxOf(chain)]
  expect(below.y).toBeGreaterThanOrEqual(above.y + above.height / 2)
  expect(Math.abs(below.x - above.x)).toBeLessThan(2)
})

it('28.14: a receipt keeps its words whole, and the part of the operators where one is stands in sight', async () => {
  server.state.permissions = ['store', 'pay', 'operate', 'moderate', 'users']
  const { id } = addItem(server.state, { name: 'harbour.jpg' })
  await page.goto(`${server.origin}/console/item/${id}/receipt`)
  const label = await boxOf(page.getByText('Together', { exact: true }))
  expect(label.width).toBeGreaterThan(label.height)
  await page.goto(`${server.origin}/console/operate/audit`)
  const part = page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: 'Audit log' })
  const { x, width } = await boxOf(part)
  expect(x + width).toBeLessThanOrEqual(SCREEN.width)
})
