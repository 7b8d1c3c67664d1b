import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { upload } from '../kit/use-console.ts'
import { context, openForEachTest, page, server } from './open-for-each-test.ts'
import { ADDRESS, addPayment, paidBy } from './server/add-payment.ts'
import { store } from './server/fake-state.ts'

const MIB = 2 ** 20

openForEachTest()

it('console 18 and 19: one tab uploads, the others show its progress, and one goes on with the same file when it is closed', async () => {
  const content = Buffer.alloc(12 * MIB, 'x')
  const busy = { status: 503, code: 'busy', message: 'Too much to do.', retryAfter: 600 }
  // After the first chunks the service accepts nothing until the test allows it.
  Object.assign(server.weather, { refuse: busy, refuseFrom: 8 })
  await page.goto(`${server.origin}/console/store`)
  // By its path: the bytes need not go through the browser's remote control.
  const folder = await mkdtemp(join(tmpdir(), 'hookline-film-'))
  const film = join(folder, 'film.mp4')
  await writeFile(film, content)
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', film)
  await upload(page)
  await page.getByText('The service is busy.').waitFor()

  const other = await context.newPage()
  let sent = 0
  other.on('request', (request) => {
    if (/POST|PUT/.test(request.method()) && request.url().includes('/v0/item')) sent++
  })
  await other.goto(page.url())
  await other.getByText('Another tab of this browser uploads this order.').waitFor()
  await other.getByText('8,388,608 of 12,582,912 bytes').waitFor()
  expect(await other.getByRole('button', { name: 'Pause' }).count()).toBe(0)
  expect(sent).toBe(0)

  await page.close()
  server.weather.refuse = undefined
  await other.getByText('1 file must be chosen again').waitFor()
  // console 18: another file of the same name and size is detected, and none of its bytes is sent.
  await writeFile(film, Buffer.alloc(12 * MIB, 'y'))
  await other.setInputFiles('input[type=file]:not([webkitdirectory])', film)
  await other.getByText('This is another file than the one that was begun', { exact: false }).first().waitFor()
  expect(sent).toBe(0)
  await writeFile(film, content)
  await other.setInputFiles('input[type=file]:not([webkitdirectory])', film)
  await other.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  const [item] = server.state.items.values()
  expect(item?.bytes.equals(content)).toBe(true)
  await rm(folder, { recursive: true })
})

it('console 18: takes a file that is chosen again while the parts of the page that send it are still loading', async () => {
  const film = { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(2 * MIB, 'x') }
  const busy = { status: 503, code: 'busy', message: 'Too much to do.', retryAfter: 600 }
  Object.assign(server.weather, { refuse: busy, refuseFrom: 1 })
  await page.goto(`${server.origin}/console/store`)
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', [film])
  await upload(page)
  await page.getByText('The service is busy.').waitFor()

  server.weather.refuse = undefined
  const held = Promise.withResolvers<void>()
  await page.route(/\/assets\/send-chunks-[^/]*\.js$/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.reload()
  await page.getByText('1 file must be chosen again').waitFor()
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', [film])
  await page.getByText('1 file must be chosen again').waitFor({ state: 'detached' })
  held.resolve()
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
})

it('console 24: asks at once when the stream breaks off', async () => {
  const payment = addPayment(server.state)
  await page.clock.install()
  await page.goto(`${server.origin}/console/pay/${ADDRESS}`)
  await page.locator('.qr').waitFor()
  await expect.poll(() => server.state.streams).toBeGreaterThan(0)
  // The stream works: an event makes the page send a request.
  const asked = () => server.requests.filter((request) => request === 'GET /v0/payment').length
  const before = asked()
  server.emit('request.open', { address: ADDRESS })
  await expect.poll(asked).toBeGreaterThan(before)
  // From here on no timer fires, so no request is caused by one.
  await page.clock.pauseAt(Date.now() + 12_000)
  payment.state = 'seen'
  payment.received = payment.amount
  payment.transactions = [paidBy(0)]
  server.refuse('GET', /^\/v0\/events$/, { status: 503, code: 'busy' })
  server.cutStreams()
  await page.getByText('Seen, 0 of 3 blocks').waitFor()
})

it('console 29: the page may be closed once the payment is seen, transactions show, and six empty blocks are explained', async () => {
  await page.clock.install()
  await page.goto(`${server.origin}/console/store`)
  const file = { name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.alloc(300, 'x') }
  await page.setInputFiles('input[type=file]:not([webkitdirectory])', [file])
  await upload(page)
  await page.getByRole('heading', { level: 1, name: 'Pay on Nativecoin' }).waitFor()
  // The heading is shown during the upload, too.
  await page.locator('.qr').waitFor()
  const [payment] = server.state.payments.values()
  const [item] = server.state.items.values()
  if (!payment || !item) throw new Error('nothing was asked for')
  payment.state = 'seen'
  payment.received = payment.amount
  payment.transactions = [paidBy(0)]
  server.emit('request.seen', { address: payment.address })
  await page.getByText('You may close this page. Writing starts by itself.').waitFor()

  store(server.state, item)
  item.status = '202 Accepted'
  item.written = 1
  item.confirmed = 0
  payment.state = 'settled'
  payment.transactions = [paidBy(3)]
  server.emit('request.settled', { address: payment.address })
  await page.getByRole('heading', { level: 1, name: /^Writing/ }).waitFor()
  await page.getByText('You may close this page now.').waitFor()
  const [txid = ''] = item.content?.txids ?? []
  await page.getByText(txid.slice(0, 12)).waitFor()
  await page.getByText('41 deep').waitFor()
  await page.getByText('About 1 block to go').waitFor()
  await page.getByText(/last seen \d/).waitFor()
  const reason = page.getByText('Six blocks came without a transaction of yours in them.')
  expect(await reason.count()).toBe(0)
  let depth = 3
  await expect
    .poll(async () => {
      depth += 6
      payment.transactions = [paidBy(depth)]
      await page.clock.fastForward(31_000)
      return reason.count()
    })
    .toBe(1)
})
