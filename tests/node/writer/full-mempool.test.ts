import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Daemon, startLitecoind } from '../litecoind.ts'
import { serviceOnDaemon } from './service-on-daemon.ts'

let daemon: Daemon
let service: Awaited<ReturnType<typeof serviceOnDaemon>>

beforeAll(async () => {
  // The smallest that it accepts: forty times the limit of descendants.
  const limits = ['-maxmempool=1', '-limitdescendantsize=25', '-limitancestorsize=25', '-datacarriersize=24000']
  daemon = await startLitecoind(...limits)
  service = await serviceOnDaemon(daemon)
})
afterAll(() => daemon?.stop())

const STORED = 200
const ITEM = 'a'.repeat(24)

const mempool = async () => Object.keys(Object(await service.call('', 'getrawmempool', true)))

/** Sends large transactions at twice the usual fee, until most of these are not in the mempool any more. */
async function fillMempool(thrownOut: readonly string[]): Promise<void> {
  const data = 'ab'.repeat(23_000)
  // Each from a coin of its own in a block: nothing that hangs together is larger than the daemon allows.
  const coins: { txid: string; vout: string }[] = Object(await service.call('customer', 'listunspent', 1))
  for (const { txid, vout } of coins) {
    const waiting = new Set(await mempool())
    if (thrownOut.filter((one) => waiting.has(one)).length <= thrownOut.length / 2) return
    const input = { txid, vout: Number(vout) }
    const raw = await service.call('customer', 'createrawtransaction', [input], [{ data }])
    const funded = await service.call('customer', 'fundrawtransaction', raw, { feeRate: '0.00010000' })
    const signed = await service.call('customer', 'signrawtransactionwithwallet', Object(funded).hex)
    await service.call('customer', 'sendrawtransaction', Object(signed).hex, 0)
  }
  throw new Error('the mempool is not full')
}

it('on a daemon with a small mempool, an item is stored although dearer transactions throw its own out', async () => {
  const coins: Record<string, string> = {}
  for (let i = 0; i < 60; i++) coins[String(await service.call('customer', 'getnewaddress'))] = '0.2'
  await service.call('customer', 'sendmany', '', coins)
  await service.paidItem(ITEM, 2_000)
  const own = await mempool()
  expect(own.length).toBeGreaterThan(0)
  await fillMempool(own)
  const asked = async () => Number(Object(await service.call('', 'getmempoolinfo')).mempoolminfee)
  expect(await asked()).toBeGreaterThan(0.00005)
  for (let block = 0; block < 2; block++) {
    await service.work()
    await service.mine(1)
  }
  expect(service.statusOf(ITEM)).toBe(202)
  // The minimum fee rate of a full mempool halves every few hours.
  await service.call('', 'setmocktime', Math.floor(Date.now() / 1000) + 4 * 86_400)
  expect(await asked()).toBe(0.00001)
  expect(await service.untilStored(ITEM)).toBe(STORED)
})
