import { beforeEach, expect, it } from 'vitest'
import { openForEachTest, page, server } from './open-for-each-test.ts'
import { ADDRESS, addPayment } from './server/add-payment.ts'

openForEachTest({ viewport: { width: 1280, height: 860 } })

const rates = { EUR: 4_000, USD: 4_500 }
beforeEach(() => {
  server.state.prices = {
    asOf: Math.floor(Date.now() / 1000) - 60,
    source: 'rates.example',
    rates: { Nativecoin: rates, Bitcoin: rates, Dogecoin: rates },
  }
})

it('shows amounts in a currency of one’s choice beside coins, which lasts', async () => {
  await page.goto(`${server.origin}/console/store`)
  await page
    .getByText(/^about EUR/)
    .first()
    .waitFor()
  await page.goto(`${server.origin}/console/money`)
  await page.getByText('By rates.example', { exact: false }).waitFor()
  await page.getByRole('combobox', { name: 'Approximate amounts in' }).selectOption('USD')
  await page
    .getByText(/^about USD/)
    .first()
    .waitFor()
  await page.goto(`${server.origin}/console/store`)
  await page
    .getByText(/^about USD/)
    .first()
    .waitFor()
  await page.goto(`${server.origin}/console/money`)
  await page.getByRole('combobox', { name: 'Approximate amounts in' }).selectOption('no other currency')
  await expect.poll(() => page.getByText(/^(?:about|less than) [A-Z]{3}/).count()).toBe(0)
})

it('says beside a payment for IPFS what it is worth, and why it is paid on a chain', async () => {
  addPayment(server.state).blockchain = 'IPFS'
  await page.goto(`${server.origin}/console/pay/${ADDRESS}`)
  await page.getByText('IPFS has no coin of its own', { exact: false }).waitFor()
  await page
    .getByText(/^about EUR/)
    .first()
    .waitFor()
})

it('prices a file for whoever has no account, and sends nothing but its size', async () => {
  server.state.signedIn = false
  await page.goto(`${server.origin}/console`)
  await page.getByRole('heading', { name: 'What would it cost?' }).waitFor()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${new URL(request.url()).pathname} ${request.postData() ?? ''}`)
  })
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Price a file' }).click()
  const file = { name: 'secret name.txt', mimeType: 'text/plain', buffer: Buffer.alloc(62_800, 'x') }
  await (await chooser).setFiles([file])
  await page.getByText('secret name.txt, 62.8 KB').waitFor()
  await page
    .getByText(/about EUR/)
    .first()
    .waitFor()
  await expect.poll(() => sent.length).toBe(4)
  for (const each of sent) {
    expect(each).toMatch(/^\/v0\/estimate \{"blockchain":"\w+","files":\[\{"size":62800,"mimetype":"[^"]*"\}\]\}$/)
  }
})
