import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Daemon, startLitecoind } from '../litecoind.ts'
import { serviceOnDaemon } from './service-on-daemon.ts'

let daemon: Daemon
let service: Awaited<ReturnType<typeof serviceOnDaemon>>
beforeAll(async () => {
  daemon = await startLitecoind()
  service = await serviceOnDaemon(daemon)
})
afterAll(() => daemon?.stop())

it('a payment made in time, whose fee a real wallet raises after the expiry, pays its request', async () => {
  const { call, mine, work, openItem, statusOf, d1 } = service
  await work()
  const id = 'b'.repeat(24)
  const { address, amount } = await openItem(id, 100)
  const first = String(await call('customer', 'sendtoaddress', address, amount, '', '', false, true))
  await work()
  expect(d1.rows('SELECT state FROM payment_requests')).toEqual([{ state: 'seen' }])
  // Its price holds for an hour.
  await call('', 'setmocktime', Math.floor(Date.now() / 1000) + 5400)
  const { txid: raised } = Object(await call('customer', 'bumpfee', first))
  const { hex } = Object(await call('customer', 'gettransaction', raised))
  await call('', 'generateblock', await call('customer', 'getnewaddress'), [hex])
  await mine(1)
  await work()
  expect(d1.rows('SELECT state FROM payment_requests')).toEqual([{ state: 'settled' }])
  expect(statusOf(id)).toBe(202)
  expect(d1.rows('SELECT txid, replaces FROM outputs WHERE credited = 1')).toEqual([{ txid: raised, replaces: first }])
})
