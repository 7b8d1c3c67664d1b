import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requireAssigned, stopChain } from '../../../worker/features/operate/stop-chain.ts'
import { createAddress } from '../../../worker/features/payments/create-address.ts'
import { selectBalances } from '../../../worker/features/payments/sql/ledger.ts'
import { createWithdrawal } from '../../../worker/features/payouts/ask/create-withdrawal.ts'
import { cancelWithdrawal } from '../../../worker/features/payouts/end/end-withdrawal.ts'
import { assignSend } from '../../../worker/features/payouts/restore/assign-send.ts'
import { selectUnassigned } from '../../../worker/features/transactions/sql/sends.ts'
import { type Daemon, startLitecoind } from '../litecoind.ts'
import { serviceOnDaemon, USER } from './service-on-daemon.ts'

const COIN = 100_000_000n

let daemon: Daemon
let service: Awaited<ReturnType<typeof serviceOnDaemon>>
beforeAll(async () => {
  daemon = await startLitecoind()
  service = await serviceOnDaemon(daemon)
})
afterAll(() => daemon?.stop())

/** What the customer's wallet received at an address, unconfirmed included, as text. */
const received = async (address: string) => String(await service.call('customer', 'getreceivedbyaddress', address, 0))

async function withdraw(amount: bigint): Promise<string> {
  const address = String(await service.call('customer', 'getnewaddress'))
  await createWithdrawal(service.context(), USER, { blockchain: 'Bitcoin', address, amount, maxFee: undefined })
  return address
}

describe('a database that was restored to an earlier moment, on a real daemon', () => {
  it('pays no withdrawal twice, and continues when what left the wallet is assigned', async () => {
    const { db, d1 } = service
    await service.work()
    const { address } = await createAddress(service.context(), USER, 'Bitcoin')
    await service.call('customer', 'sendtoaddress', address, '5')
    await service.confirm(3)
    const waiting = await withdraw(COIN)
    const restore = service.keepRows()
    await service.work()
    const later = await withdraw(2n * COIN)
    await service.work()
    await service.confirm(3)
    const { Bitcoin: before } = await selectBalances(db, USER)
    expect([await received(waiting), await received(later)]).toEqual(['1.00000000', '2.00000000'])

    restore()
    await service.confirm(3)
    expect([await received(waiting), await received(later)]).toEqual(['1.00000000', '2.00000000'])
    expect(d1.rows('SELECT part, cause FROM stops ORDER BY cause')).toEqual([
      { part: 'payouts', cause: 'restored' },
      { part: 'payouts', cause: 'sends' },
    ])
    await expect(requireAssigned(service.context(), 'Bitcoin')).rejects.toMatchObject({ code: 'sends_unassigned' })
    const unknown = await selectUnassigned(db, 9)
    expect(unknown).toHaveLength(2)
    const order = { as: 'withdrawal', account: undefined, amount: undefined } as const
    for (const { txid } of unknown) {
      expect(await assignSend(service.context(), txid, order, () => [])).toMatchObject({ loss: 0n })
    }
    await requireAssigned(service.context(), 'Bitcoin')
    const goOn = { payouts: false, writing: false, reason: 'all is assigned' }
    expect(await stopChain({ db, now: Date.now(), record: () => [] }, 'Bitcoin', goOn)).toEqual([])
    await service.confirm(3)
    expect((await selectBalances(db, USER)).Bitcoin).toBe(before)
    expect(d1.rows('SELECT state FROM withdrawals')).toEqual([{ state: 'confirmed' }, { state: 'confirmed' }])
    expect([await received(waiting), await received(later)]).toEqual(['1.00000000', '2.00000000'])
    const next = await withdraw(COIN / 2n)
    await service.work()
    expect(await received(next)).toBe('0.50000000')
  })

  it('holds a withdrawal that was cancelled since where bucket and storage are restored too: the wallet has its label', async () => {
    const { d1 } = service
    const address = await withdraw(COIN / 4n)
    const [row] = d1.rows("SELECT id FROM withdrawals WHERE state = 'waiting'")
    const id = String(row?.id)
    const restore = service.keepMachine()
    await cancelWithdrawal(service.context(), USER, id)
    const labelled = await service.call('service', 'getaddressesbylabel', `hookline:ended:${id}`)
    expect(Object.keys(Object(labelled))).toHaveLength(1)
    restore()
    await service.confirm(2)
    expect(await received(address)).toBe('0.00000000')
    expect(d1.rows('SELECT state FROM withdrawals WHERE id = ?', id)).toEqual([{ state: 'held' }])
    expect(d1.rows('SELECT part, cause FROM stops')).toEqual([{ part: 'payouts', cause: 'sends' }])
  })
})
