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

const idOf = (letter: string) => letter.repeat(24)

/** What the daemon estimates, and the least that its blocks take, in coins for 1,000 vbytes. */
async function setFees(estimate: string, mined: string): Promise<void> {
  await daemon.restart(`-blockmintxfee=${mined}`)
  for (const name of ['service', 'customer']) await service.call('', 'loadwallet', name)
  // Of what customers pay with, which blocks are to take.
  await service.call('customer', 'settxfee', '0.001')
  service.setEstimate(estimate)
}

async function mineAndWork(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await service.mine(1)
    await service.work()
  }
}

const txChainsOf = (id: string) =>
  service.d1
    .rows("SELECT DISTINCT tx_chain FROM transactions WHERE item_id = ? AND state != 'dead' ORDER BY tx_chain", id)
    .map(({ tx_chain: txChain }) => txChain)

describe('with a real daemon whose blocks take ten times the fees of before', () => {
  it('an item that pays them is stored, beside a full tx chain of one that can pay no more, which is stored when they fall', async () => {
    await setFees('0.00002', '0.00001')
    await service.paidItem(idOf('a'), 80 * 24)
    await setFees('0.0005', '0.0002')
    await mineAndWork(8)
    await service.paidItem(idOf('b'), 70)
    expect(await service.untilStored(idOf('b'))).toBe(200)
    expect(service.statusOf(idOf('a'))).toBe(202)
    expect(txChainsOf(idOf('a')).filter((txChain) => txChainsOf(idOf('b')).includes(txChain))).toEqual([])
    await setFees('0.00002', '0.00001')
    expect(await service.untilStored(idOf('a'))).toBe(200)
  })

  it('an item that pays them is not put behind another that can pay no more, though its tx chain has room', async () => {
    await service.paidItem(idOf('c'), 80 * 4)
    await setFees('0.0005', '0.0002')
    await mineAndWork(8)
    await service.paidItem(idOf('d'), 70)
    expect(await service.untilStored(idOf('d'))).toBe(200)
    expect(service.statusOf(idOf('c'))).toBe(202)
    await setFees('0.00002', '0.00001')
    expect(await service.untilStored(idOf('c'))).toBe(200)
  })
})

describe('with a real daemon, one coin made of several', () => {
  it('pays more where blocks pass it by', async () => {
    expect(await service.gatherCoins()).toBeGreaterThan(1)
    await setFees('0.00003', '0.00003')
    await mineAndWork(8)
    expect(service.d1.rows("SELECT state FROM transactions WHERE item_id IS NULL AND state != 'mined'")).toEqual([])
    expect(
      service.d1.rows('SELECT seq FROM transactions WHERE tx_chain = (SELECT MAX(id) FROM tx_chains) ORDER BY seq'),
    ).toEqual([{ seq: 0 }, { seq: 1 }])
  })
})
