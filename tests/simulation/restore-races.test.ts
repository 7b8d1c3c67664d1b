import type { Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { serveDevnet } from '../../devnet/server.ts'
import { decideWithdrawal } from '../../worker/features/operate/decide-withdrawal.ts'
import { requireAssigned, stopChain } from '../../worker/features/operate/stop-chain.ts'
import { createAddress } from '../../worker/features/payments/create-address.ts'
import { selectBalances } from '../../worker/features/payments/sql/ledger.ts'
import { createWithdrawal } from '../../worker/features/payouts/ask/create-withdrawal.ts'
import { cancelWithdrawal } from '../../worker/features/payouts/end/end-withdrawal.ts'
import { assignSend } from '../../worker/features/payouts/restore/assign-send.ts'
import { selectUnassigned } from '../../worker/features/transactions/sql/sends.ts'
import { strikeAt } from '../kit/in-process/strike-at.ts'
import { listen } from '../kit/loopback-server.ts'
import { serviceOnDaemon, USER } from '../node/writer/service-on-daemon.ts'

const COIN = 100_000_000n

let devnet: ReturnType<typeof createDevnet>
let server: Server
let service: Awaited<ReturnType<typeof serviceOnDaemon>>
beforeEach(async () => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  devnet = createDevnet({ chains: ['Bitcoin'] })
  server = serveDevnet(devnet)
  service = await serviceOnDaemon({ url: `http://devnet:devnet@127.0.0.1:${await listen(server)}/bitcoin` })
  await service.work()
  await deposit('2', 0)
  service.d1.reset()
})
afterEach(() => {
  server.close()
  vi.restoreAllMocks()
})

/** Pays coins to a new address of the customer's, `later` milliseconds after the first. */
async function deposit(coins: string, later: number): Promise<void> {
  const { address } = await createAddress({ ...service.context(), now: Date.now() + later }, USER, 'Bitcoin')
  await service.call('customer', 'sendtoaddress', address, coins)
  await service.confirm(3)
}

async function withdraw(amount: bigint) {
  const address = String(await service.call('customer', 'getnewaddress'))
  const order = { blockchain: 'Bitcoin', address, amount, maxFee: undefined } as const
  const { id } = JSON.parse(await createWithdrawal(service.context(), USER, order))
  const received = async () => String(await service.call('customer', 'getreceivedbyaddress', address, 0))
  const state = () => service.d1.rows('SELECT state FROM withdrawals WHERE id = ?', id)[0]?.state
  return { id: String(id), state, received }
}

const balance = async () => (await selectBalances(service.db, USER)).Bitcoin

/** What an operator's request decides: the database is looked at first, as the route does. */
async function decide(id: string, act: 'refund' | 'paid_elsewhere'): Promise<void> {
  await service.context().noticeRestore()
  await decideWithdrawal({ ...service.context(), record: () => [] }, id, act)
}

/** Assigns all that left the wallet and that the database does not know. */
async function assignAll(as: 'withdrawal' | 'foreign' = 'withdrawal'): Promise<void> {
  for (const { txid } of await selectUnassigned(service.db, 9, 'Bitcoin')) {
    await assignSend(service.context(), txid, { as, account: undefined, amount: undefined }, () => [])
  }
}

/** Lets payouts go on, and has the chain go on until what is paid is confirmed. */
async function goOn(): Promise<void> {
  await requireAssigned(service.context(), 'Bitcoin')
  const order = { payouts: false, writing: false, reason: 'all is assigned' }
  await stopChain({ db: service.db, now: Date.now(), record: () => [] }, 'Bitcoin', order)
  await service.confirm(3)
}

/** Runs `work` while the bucket takes no record of a payout: what is signed is not sent. */
async function withoutRecords(work: () => Promise<void>): Promise<void> {
  const { around } = service.bucket
  service.bucket.around = async (operation, effect) => {
    if (operation.includes('put payouts/')) throw new Error('put: failed')
    return effect()
  }
  await work()
  service.bucket.around = around
}

describe('a restore of the database', () => {
  it('is noticed during a request that counts as many ends as it has lost: what was paid elsewhere is not paid', async () => {
    const [elsewhere, other] = [await withdraw(COIN / 10n), await withdraw(COIN / 100n)]
    const moment = service.d1.noteMoment()
    await decide(elsewhere.id, 'paid_elsewhere')
    strikeAt(service.bucket, new RegExp(`put .*end-${other.id}`), () => service.d1.restore(moment))
    await expect(cancelWithdrawal(service.context(), USER, other.id)).rejects.toMatchObject({ code: 'payouts_stopped' })
    await service.work()
    await goOn()
    expect([elsewhere.state(), await elsewhere.received()]).toEqual(['paid_elsewhere', '0.00000000'])
  })

  it.each([2, 3, 4])('is noticed during a step that counts as many payouts, at look %s at the number', async (look) => {
    const other = await withdraw(COIN / 100n)
    await withoutRecords(() => service.work())
    const elsewhere = await withdraw(COIN / 10n)
    const moment = service.d1.noteMoment()
    await decide(elsewhere.id, 'paid_elsewhere')
    strikeAt(service.d1, /SELECT number FROM payout_numbers/, () => service.d1.restore(moment), look)
    await service.work()
    await service.work()
    await assignAll()
    await goOn()
    await service.confirm(9)
    expect([elsewhere.state(), await elsewhere.received()]).toEqual(['paid_elsewhere', '0.00000000'])
    expect([other.state(), await other.received()]).toEqual(['confirmed', '0.01000000'])
  })

  it('pays nothing that was cancelled, and that a step is about to sign during which it comes', async () => {
    const { id, state, received } = await withdraw(COIN / 10n)
    const moment = service.d1.noteMoment()
    await cancelWithdrawal(service.context(), USER, id)
    const left = await balance()
    strikeAt(service.d1, /SELECT genesis/, () => service.d1.restore(moment))
    await service.work()
    await service.work()
    await goOn()
    await service.confirm(9)
    expect([state(), await received(), await balance()]).toEqual(['cancelled', '0.00000000', left])
  })

  it('leaves no withdrawal ending for ever without the coin that it was tied to, during the request that ends it', async () => {
    const { id, state } = await withdraw(COIN / 10n)
    const moment = service.d1.noteMoment()
    await withoutRecords(() => service.work())
    strikeAt(service.bucket, new RegExp(`put .*end-${id}`), () => service.d1.restore(moment))
    await expect(decide(id, 'refund')).rejects.toMatchObject({ code: 'busy' })
    // The wallet says that something was signed for it: an operator is to look that up.
    await expect(decide(id, 'refund')).rejects.toMatchObject({ code: 'payouts_stopped' })
    await decide(id, 'refund')
    await service.confirm(9)
    expect(state()).toBe('refunded')
  })

  it('restores the end of a withdrawal whose block left the chain in between: it is not for an operator to end again', async () => {
    const { id, state } = await withdraw(COIN / 10n)
    await service.work()
    await service.confirm(3)
    expect(state()).toBe('confirmed')
    const moment = service.d1.noteMoment()
    const [{ block_hash } = {}] = service.d1.rows('SELECT block_hash FROM transactions WHERE withdrawal_id = ?', id)
    await service.call('', 'invalidateblock', block_hash)
    for (let block = 0; block < 4; block++) devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
    await service.work()
    await decide(id, 'paid_elsewhere')
    // Its coin is on its way back before a block has the payout again.
    await service.work()
    await service.confirm(9)
    expect(state()).toBe('paid_elsewhere')
    service.d1.restore(moment)
    // The wallet was searched whole just before.
    service.d1.rows('UPDATE wallet_scans SET searched_at = 0')
    await service.work()
    await goOn()
    await service.confirm(9)
    expect(state()).toBe('paid_elsewhere')
  })

  describe('to before a deposit', () => {
    it('debits from that what was paid elsewhere, once it is found again', async () => {
      const moment = service.d1.noteMoment()
      await deposit('0.5', 120_000)
      const { id, state } = await withdraw((COIN * 23n) / 10n)
      await decide(id, 'paid_elsewhere')
      const left = await balance()
      service.d1.restore(moment)
      await service.work()
      expect([state(), await balance()]).toEqual(['paid_elsewhere', left])
      await goOn()
    })

    it('lets no payouts go on before that is found again, and has nothing assigned: it would be booked as a loss', async () => {
      const moment = service.d1.noteMoment()
      await deposit('0.5', 120_000)
      const { state } = await withdraw((COIN * 23n) / 10n)
      await service.confirm(4)
      const left = await balance()
      service.d1.restore(moment)
      await service.context().noticeRestore()
      await expect(goOn()).rejects.toMatchObject({ code: 'payouts_stopped' })
      await service.work()
      await assignAll()
      expect(await balance()).toBe(left)
      await goOn()
      expect(state()).toBe('confirmed')
    })
  })

  describe('while one agent chooses a coin for a withdrawal that another has just paid', () => {
    async function payTwice() {
      const withdrawal = await withdraw(COIN / 10n)
      const moment = service.d1.noteMoment()
      let isPaid = false
      service.bucket.around = async (operation, effect) => {
        const answer = effect()
        if (isPaid || !operation.includes('/paid-')) return answer
        isPaid = true
        await service.work()
        expect([withdrawal.state(), await withdrawal.received()]).toEqual(['sent', '0.10000000'])
        service.d1.restore(moment)
        return answer
      }
      await service.work()
      await service.confirm(3)
      return withdrawal
    }

    it.each(['withdrawal', 'foreign'] as const)('pays it once, its send assigned as %s', async (as) => {
      const { state, received } = await payTwice()
      await assignAll(as)
      await goOn()
      expect([state(), await received()]).toEqual(['confirmed', '0.10000000'])
    })
  })
})
