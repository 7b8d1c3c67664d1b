import { expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { upload } from '../kit/use-console.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { store } from './server/fake-state.ts'

openForEachTest()

async function storeFiles(count: number, bytes: number): Promise<void> {
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(
    page,
    Array.from({ length: count }, (_, index) => ({ name: `note-${index}.txt`, buffer: Buffer.alloc(bytes, 'x') })),
  )
  await upload(page)
}

it('28.15: one file that is uploaded has one bar', async () => {
  server.weather.refuse = { status: 503, code: 'busy', message: 'A moment.', retryAfter: 600 }
  await storeFiles(1, 2 * 2 ** 20)
  await page.getByText('The service is busy.').waitFor()
  expect(await page.getByRole('progressbar').count()).toBe(1)
})

it('28.15: while many files are written their rows are folded, and the number of transactions stands there', async () => {
  await storeFiles(60, 100)
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  await expect.poll(() => server.state.payments.size).toBe(1)
  const [payment] = server.state.payments.values()
  if (!payment) throw new Error('nothing is asked for')
  payment.state = 'settled'
  for (const item of server.state.items.values()) {
    store(server.state, item)
    item.status = '202 Accepted'
    item.confirmed = 0
  }
  server.emit('request.settled', { address: payment.address })
  await page.getByRole('heading', { level: 1, name: 'Writing 60 transactions' }).waitFor()
  await page.getByText('60 items, 60 transactions').waitFor()
  const row = page.getByText('note-17.txt, 1 transaction')
  expect(await row.isVisible()).toBe(false)
  await page.getByText('The transactions of 60 files').click()
  await row.waitFor()
  await page.getByText('And 10 more files.').waitFor()
})

it('28.15: an address for deposits has a code, and what went to the balance its amount', async () => {
  await page.goto(`${server.origin}/console/money`)
  await page.getByText('Show the QR code').first().click()
  await page.getByRole('img', { name: /^QR code: an address on Bitcoin, bcrt1/ }).waitFor()
})
