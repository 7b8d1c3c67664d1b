import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startLitecoind } from '../litecoind.ts'
import { serviceOnDaemon } from './service-on-daemon.ts'

let daemon: Daemon
let service: Awaited<ReturnType<typeof serviceOnDaemon>>

beforeAll(async () => {
  daemon = await startLitecoind()
  service = await serviceOnDaemon(daemon)
})
afterAll(() => daemon?.stop())

const STORED = 200
const idOf = (letter: string) => letter.repeat(24)
const wallet = (method: string, ...params: unknown[]) => service.call('service', method, ...params)

async function restart(...options: string[]): Promise<void> {
  await daemon.restart(...options)
  for (const name of ['service', 'customer']) await service.call('', 'loadwallet', name)
}

describe('with a real daemon, an item is stored although', () => {
  it('its operator sweeps the wallet by sendtoaddress: coins in use are locked, and again after a restart', async () => {
    await service.paidItem(idOf('a'), 3_000)
    expect(await wallet('listlockunspent')).not.toEqual([])
    await restart()
    expect(await wallet('listlockunspent')).toEqual([])
    await service.work()
    expect(await wallet('listlockunspent')).not.toEqual([])
    const balance = Number(await wallet('getbalance'))
    const elsewhere = await service.call('customer', 'getnewaddress')
    await wallet('sendtoaddress', elsewhere, Math.floor(balance / 3).toFixed(8))
    expect(await service.untilStored(idOf('a'))).toBe(STORED)
  })

  it('the daemon loses its mempool in a restart', async () => {
    await service.paidItem(idOf('b'), 2_000)
    // Without it the daemon's wallet sends its own transactions again.
    await restart('-persistmempool=0', '-walletbroadcast=0')
    expect(await service.call('', 'getrawmempool')).toEqual([])
    expect(await service.untilStored(idOf('b'))).toBe(STORED)
  })

  it('the daemon requires ten times the fee after a restart, until it requires the usual one again', async () => {
    await service.paidItem(idOf('c'), 2_000)
    await restart('-persistmempool=0', '-minrelaytxfee=0.0005')
    for (let block = 0; block < 3; block++) {
      await service.mine(1)
      await service.work()
    }
    // The payment too may be below the daemon's floor until then: what waits, waits for one or the other.
    expect([202, 402]).toContain(service.statusOf(idOf('c')))
    await restart()
    expect(await service.untilStored(idOf('c'))).toBe(STORED)
  })

  it('a reorganisation removes its blocks', async () => {
    await service.paidItem(idOf('d'), 2_000)
    await service.mine(1)
    await service.work()
    const height = Number(await service.call('', 'getblockcount'))
    await service.call('', 'invalidateblock', await service.call('', 'getblockhash', height))
    expect(await service.untilStored(idOf('d'))).toBe(STORED)
  })

  it('its wallet is unloaded for a while', async () => {
    await service.paidItem(idOf('e'), 2_000)
    await service.call('', 'unloadwallet', 'service')
    await service.mine(1)
    await expect(service.work()).rejects.toThrow('wallet')
    await service.call('', 'loadwallet', 'service')
    expect(await service.untilStored(idOf('e'))).toBe(STORED)
  })

  it('its wallet is locked until its passphrase is entered', async () => {
    await wallet('encryptwallet', 'open sesame')
    await wallet('walletpassphrase', 'open sesame', 600)
    await service.paidItem(idOf('f'), 6_000)
    await wallet('walletlock')
    await service.mine(1)
    await expect(service.work()).rejects.toThrow('passphrase')
    expect(service.statusOf(idOf('f'))).toBe(202)
    await wallet('walletpassphrase', 'open sesame', 600)
    expect(await service.untilStored(idOf('f'))).toBe(STORED)
  })

  it('its mempool accepts at most three transactions in a row, and its operator spends all free coins', async () => {
    await restart('-limitancestorcount=3', '-limitdescendantcount=3')
    await wallet('walletpassphrase', 'open sesame', 600)
    await service.paidItem(idOf('0'), 1_000)
    const coins = await wallet('listunspent', 0)
    if (!Array.isArray(coins)) throw new Error('no coins')
    const free = coins.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 1e8), 0)
    await wallet(
      'sendtoaddress',
      await service.call('customer', 'getnewaddress'),
      (free / 1e8).toFixed(8),
      '',
      '',
      true,
    )
    expect(await wallet('listunspent', 0)).toEqual([])
    expect(await service.untilStored(idOf('0'))).toBe(STORED)
  })
})
