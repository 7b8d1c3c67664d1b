import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { ADDRESS, addPayment } from './server/add-payment.ts'

const SCREEN = { width: 360, height: 740 }

openForEachTest({ viewport: SCREEN })

async function topOf(element: Locator): Promise<number> {
  await element.waitFor()
  return (await element.boundingBox())?.y ?? Number.NaN
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
