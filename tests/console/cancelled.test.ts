import { expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { upload } from '../kit/use-console.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest()

const orders = () => page.getByRole('heading', { name: 'Your last orders' })

async function openStore(): Promise<void> {
  await page.goto(`${server.origin}/console/store`)
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
}

/** Stores a file up to its payment. */
async function uploadToPayment(): Promise<void> {
  await openStore()
  await pickFiles(page, [{ name: 'tone.ogg', buffer: Buffer.alloc(300, 'x') }])
  await upload(page)
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  await page.locator('.qr').waitFor()
}

/** What the Store page has read when it lists no order. */
const settled = () =>
  expect.poll(() => server.requests.filter((line) => line === 'GET /v0/order').length).toBeGreaterThan(0)

it('an order that was cancelled is in no list, at once and after the page is loaded again', async () => {
  await uploadToPayment()
  const address = page.url()
  await page.getByRole('button', { name: 'Cancel the order' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove 1 file' }).click()
  await page.getByRole('button', { name: 'Choose files' }).waitFor()
  await settled()
  expect(await orders().count()).toBe(0)
  await openStore()
  expect(await orders().count()).toBe(0)
  await page.goto(address)
  await page.getByText('There is no such order any more.', { exact: false }).waitFor()
})

it('an order whose items were deleted in the library is in no list, and its page says so', async () => {
  await uploadToPayment()
  const address = page.url()
  server.state.items.clear()
  server.requests.length = 0
  await openStore()
  await settled()
  expect(await orders().count()).toBe(0)
  await page.goto(address)
  await page.getByText('There is no such order any more.', { exact: false }).waitFor()
})
