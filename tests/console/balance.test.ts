import { beforeEach, expect, it } from 'vitest'
import { upload } from '../kit/use-console.ts'
import { openForEachTest, page, server } from './open-for-each-test.ts'

openForEachTest()

const letter = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.alloc(200, 'x') }

beforeEach(async () => {
  server.state.balances.Nativecoin = 100_000_000n
  await page.goto(`${server.origin}/console/store`)
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', letter)
})

it('28.1: what is asked before an upload names the price, the balance that it comes from and what is left of it', async () => {
  await page.locator('.target.on .parts').waitFor()
  await page
    .getByText(/^It costs (about|at most) 0\.\d{8}\sNTC\. Your balance of 1\.00000000\sNTC covers it\./)
    .waitFor()
  await page.getByText(/About 0\.\d{8}\sNTC would be left\. Nothing is paid until you press Pay\.$/).waitFor()
})

it('28.1: a balance that does not cover it is said to, and the amount is sent from a wallet', async () => {
  server.state.balances.Nativecoin = 1n
  // The page may have read the balance already.
  await page.reload()
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', letter)
  await page.locator('.target.on .parts').waitFor()
  const short = /Your balance is 0\.00000001\sNTC\. It does not cover this: you send the amount from a wallet\./
  await page.getByText(short).waitFor()
})

it('28.1: the balance pays nothing before the press, which names the price; what is left stands beside it', async () => {
  await upload(page)
  await page.getByRole('heading', { level: 1, name: /^Pay/ }).waitFor()
  const left = /^Your balance is 1\.00000000\sNTC\. It covers this; 0\.63715890\sNTC is left then\.$/
  await page.getByText(left).waitFor()
  expect(server.state.balances.Nativecoin).toBe(100_000_000n)
  await page.getByRole('button', { name: /^Pay 0\.36284110\sNTC from the balance$/ }).click()
  await page.getByRole('heading', { level: 1, name: /^Writing/ }).waitFor()
  expect(server.state.balances.Nativecoin).toBe(63_715_890n)
})

it('28.1: a balance that was spent meanwhile pays nothing, and the amount can be sent', async () => {
  await upload(page)
  const pay = page.getByRole('button', { name: /from the balance$/ })
  await pay.waitFor()
  server.state.balances.Nativecoin = 5n
  await pay.click()
  await page.getByText('Your balance does not cover this any more. Nothing was paid.', { exact: false }).waitFor()
  await page.locator('.qr').waitFor()
  expect(server.state.balances.Nativecoin).toBe(5n)
})

it.each([
  ['a desk', { width: 1280, height: 900 }],
  ['a phone', { width: 360, height: 740 }],
])('a price and a balance that arrive on %s move no button away from the press of a mouse', async (_, size) => {
  await page.setViewportSize(size)
  const [price, balance] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/v0/estimate', (route) => price.promise.then(() => route.continue()))
  await page.route('**/v0/user', (route) => balance.promise.then(() => route.continue()))
  await page.goto(`${server.origin}/console/store`)
  const requested = page.waitForRequest('**/v0/estimate')
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', letter)
  await requested
  const upload = page.getByRole('button', { name: 'Upload 1 file' })
  const place = await upload.boundingBox()
  price.resolve()
  await page.locator('.target.on .parts').waitFor()
  expect(await upload.boundingBox()).toEqual(place)

  await page.getByText(/^It costs .* Nothing is paid until you press Pay\.$/).waitFor()
  balance.resolve()
  await page.getByText(/covers it/).waitFor()
  expect(await upload.boundingBox()).toEqual(place)
})
