import { expect, it } from 'vitest'
import { pickFiles } from '../kit/pick-files.ts'
import { upload } from '../kit/use-console.ts'
import { context, openForEachTest, page, server } from './open-for-each-test.ts'
import { addPayment } from './server/add-payment.ts'
import { store } from './server/fake-state.ts'

openForEachTest()

const BUSY = { status: 503, code: 'busy', message: 'A moment.', retryAfter: 600 }

async function storeFiles(count: number, bytes: number, target = 'Permanent, on Nativecoin'): Promise<void> {
  await page.goto(`${server.origin}/console/store`)
  await pickFiles(
    page,
    Array.from({ length: count }, (_, index) => ({ name: `note-${index}.txt`, buffer: Buffer.alloc(bytes, 'x') })),
  )
  await page.getByRole('radio', { name: target }).check({ force: true })
  await upload(page)
}

/** Pays the order, and writes all of it to the chain. */
async function storeAll(): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  await expect.poll(() => server.state.payments.size).toBe(1)
  for (const payment of server.state.payments.values()) payment.state = 'settled'
  for (const item of server.state.items.values()) {
    store(server.state, item)
    server.emit('item.stored', { id: item.id })
  }
}

it('28.15: one file that is uploaded has one bar', async () => {
  server.weather.refuse = BUSY
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

it('28.15: of many files that are stored, one is shown, and the others are counted without it', async () => {
  await storeFiles(10, 100)
  await storeAll()
  await page.getByRole('heading', { level: 1, name: '10 files are in the chain' }).waitFor()
  await page.getByText('1 of 10 files').waitFor()
  await page.getByRole('heading', { name: 'The other 9 files' }).waitFor()
})

it('28.15: of 150 files three are named, and how many more there are', async () => {
  server.refuse('POST', /^\/v0\/item$/, BUSY)
  await storeFiles(150, 100)
  await page.getByText('The service is busy.').waitFor()
  // The tab that is left is not the one that they were chosen in.
  const other = await context.newPage()
  await other.goto(page.url())
  await other.getByText('Another tab of this browser uploads this order.').waitFor()
  await page.close()
  await other.getByText(/: note-\d+\.txt, note-\d+\.txt, note-\d+\.txt and 147 more\.$/).waitFor()
})

it('28.15: an order on IPFS is not said to be cut into transactions', async () => {
  server.refuse('POST', /^\/v0\/item$/, BUSY)
  await storeFiles(1, 100, 'On IPFS')
  await page.getByText('Name each block by its bytes, fix the price').waitFor()
  expect(await page.getByText('cut into transactions', { exact: false }).count()).toBe(0)
})

it('28.15: an address for deposits has a code, and what went to the balance its amount', async () => {
  Object.assign(addPayment(server.state), { state: 'settled', received: 9_000_000n, credited: 3_000_000n })
  await page.goto(`${server.origin}/console/money`)
  await page.getByText(/^0\.03000000\sNTC to your balance$/).waitFor()
  await page.getByText('Show the QR code').first().click()
  await page.getByRole('img', { name: /^QR code: an address on Bitcoin, bcrt1/ }).waitFor()
})
