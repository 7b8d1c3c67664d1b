import { beforeAll, describe, expect, it } from 'vitest'
import { listPsbts } from '../../../worker/features/cold/list-psbts.ts'
import { returnPsbt } from '../../../worker/features/cold/return-psbt.ts'
import { compareSends } from '../../../worker/features/operate/compare-sends.ts'
import { decideWithdrawal } from '../../../worker/features/operate/decide-withdrawal.ts'
import { sweepCoins } from '../../../worker/features/operate/pay-out.ts'
import { selectUnassigned } from '../../../worker/features/operate/sql/sends.ts'
import { requireAssigned, stopChain } from '../../../worker/features/operate/stop-chain.ts'
import { createAddress } from '../../../worker/features/payments/create-address.ts'
import { selectBalances } from '../../../worker/features/payments/sql/ledger.ts'
import { readLiquidity } from '../../../worker/features/wallet/spendable-coins.ts'
import { consentToFee } from '../../../worker/features/withdrawals/consent-to-fee.ts'
import { createWithdrawal } from '../../../worker/features/withdrawals/create-withdrawal.ts'
import { cancelWithdrawal } from '../../../worker/features/withdrawals/end-withdrawal.ts'
import type { ColdSubject } from './describe-cold-wallet.ts'
import { serviceOnDaemon, USER } from './service-on-daemon.ts'

const COIN = 100_000_000n

interface Listed {
  id: string
  address: string
  amount: number
  fee: number
  txid: string
  coin: string
  state: string
  psbt: string
}

/** Withdrawals that are paid with coins of the wallet without private keys. A daemon and the embedded node are held to the same sentences. */
export function describeColdPayouts(name: string, open: () => Promise<ColdSubject>): void {
  describe(`a withdrawal that is paid from a cold wallet, on ${name}`, () => {
    let service: Awaited<ReturnType<typeof serviceOnDaemon>>

    const balance = async () => (await selectBalances(service.db, USER)).Bitcoin ?? 0n
    const received = async (address: string) =>
      Number(await service.call('customer', 'getreceivedbyaddress', address, 0))
    const stateOf = (id: string) => service.d1.rows('SELECT state, reason, ending FROM withdrawals WHERE id = ?', id)[0]
    const listed = async (): Promise<Listed[]> => JSON.parse(await listPsbts(service.db)).psbts
    const handed = async (id: string) => {
      const found = (await listed()).find((one) => one.id === id)
      if (!found) throw new Error('it is not handed out')
      return found
    }
    const withdraw = async (amount: bigint) => {
      const address = String(await service.call('customer', 'getnewaddress'))
      const asked = await createWithdrawal(service.context(), USER, {
        blockchain: 'Bitcoin',
        address,
        amount,
        maxFee: undefined,
      })
      await service.work()
      return { id: String(JSON.parse(asked).id), address }
    }
    const sign = async (psbt: string) => String(Object(await service.call('signer', 'walletprocesspsbt', psbt)).psbt)
    const giveBack = async (id: string, psbt: string) => await returnPsbt(service.context(), id, { psbt }, () => [])
    const send = async (psbt: string) => {
      const { hex } = Object(await service.call('', 'finalizepsbt', psbt))
      return await service.call('', 'sendrawtransaction', hex)
    }

    beforeAll(async () => {
      const { url, watch } = await open()
      service = await serviceOnDaemon({ url }, async (call) => {
        await call('', 'createwallet', 'signer')
        await watch(call)
      })
      await service.work()
      for (let deposit = 0; deposit < 13; deposit++) {
        const { address } = await createAddress({ ...service.context(), now: deposit * 60_000 }, USER, 'Bitcoin')
        await service.call('customer', 'sendtoaddress', address, '2')
      }
      await service.confirm(7)
      await compareSends(service.db, service.rpc, 'Bitcoin', Date.now())
    })

    it('is handed out as a PSBT, and sent when that came back signed', async () => {
      const before = await balance()
      const { id, address } = await withdraw(COIN)
      const psbt = await handed(id)
      expect(psbt).toMatchObject({ address, amount: 1, state: 'waiting' })
      expect(stateOf(id)).toMatchObject({ state: 'waiting', reason: expect.stringContaining('offline wallet') })
      await service.confirm(2)
      expect(await received(address)).toBe(0)
      await giveBack(id, await sign(psbt.psbt))
      await service.work()
      expect([await received(address), stateOf(id)?.state]).toEqual([1, 'sent'])
      await service.confirm(3)
      expect([await received(address), stateOf(id)?.state]).toEqual([1, 'confirmed'])
      expect(before - (await balance())).toBeGreaterThan(COIN)
      expect(await listed()).toEqual([])
    })

    it('is refused as it was handed out, as another, and as nonsense', async () => {
      // Each takes two coins, which no other may spend.
      const { id, address } = await withdraw(3n * COIN)
      const other = await withdraw(3n * COIN)
      const [psbt, otherPsbt] = [(await handed(id)).psbt, (await handed(other.id)).psbt]
      await expect(giveBack(id, psbt)).rejects.toMatchObject({ status: 400, message: expect.stringContaining('lacks') })
      for (const wrong of [await sign(otherPsbt), 'nonsense', '']) {
        await expect(giveBack(id, wrong)).rejects.toMatchObject({
          status: 400,
          message: expect.stringContaining('must be the PSBT'),
        })
      }
      await service.work()
      expect(await received(address)).toBe(0)
      await giveBack(other.id, await sign(otherPsbt))
      await giveBack(id, await sign(psbt))
      await giveBack(id, await sign(psbt))
      await service.confirm(3)
      expect([await received(address), await received(other.address)]).toEqual([3, 3])
      await expect(giveBack(id, await sign(psbt))).rejects.toMatchObject({ status: 404 })
    })

    it('is found where somebody has it mined elsewhere', async () => {
      const { id, address } = await withdraw(COIN)
      await send(await sign((await handed(id)).psbt))
      await compareSends(service.db, service.rpc, 'Bitcoin', Date.now())
      expect(await selectUnassigned(service.db, 10)).toEqual([])
      await service.work()
      expect([await listed(), stateOf(id)?.state]).toEqual([[], 'sent'])
      await service.mine(1)
      await service.confirm(4)
      expect([await received(address), stateOf(id)?.state]).toEqual([1, 'confirmed'])
      await compareSends(service.db, service.rpc, 'Bitcoin', Date.now())
      expect(await selectUnassigned(service.db, 10)).toEqual([])
    })

    it('waits while the cold wallet has too little, also if the other has enough, of which nothing is promised', async () => {
      const liquidity = { ...service.context(), blockchain: 'Bitcoin' as const, rpc: service.rpc }
      const { promised } = await readLiquidity(liquidity)
      const { id, address } = await withdraw(9n * COIN)
      await service.confirm(2)
      expect(stateOf(id)).toMatchObject({ state: 'waiting', reason: expect.stringContaining('no confirmed coins') })
      expect([await listed(), await received(address)]).toEqual([[], 0])
      expect((await readLiquidity(liquidity)).promised).toBe(promised)
      await cancelWithdrawal(service.context(), USER, id)
    })

    it('waits while payouts are stopped, and no PSBT is listed or accepted then', async () => {
      const { id, address } = await withdraw(COIN)
      const signed = await sign((await handed(id)).psbt)
      const order = (payouts: boolean) => ({ payouts, writing: false, reason: 'a look' })
      const { db } = service
      await stopChain({ db, now: Date.now(), record: () => [] }, 'Bitcoin', order(true))
      expect(await listed()).toEqual([])
      await expect(giveBack(id, signed)).rejects.toMatchObject({ status: 503, code: 'payouts_stopped' })
      const later = await withdraw(COIN / 4n)
      expect(stateOf(later.id)).toMatchObject({ reason: expect.stringContaining('has stopped payouts') })
      await stopChain({ db, now: Date.now(), record: () => [] }, 'Bitcoin', order(false))
      await service.work()
      for (const one of await listed()) await giveBack(one.id, await sign(one.psbt))
      await service.confirm(3)
      expect([await received(address), await received(later.address)]).toEqual([1, 0.25])
    })

    it('is refunded to its owner only when its coin was spent otherwise, and an operator says so again', async () => {
      const before = await balance()
      const { id, address } = await withdraw(COIN)
      const { coin, psbt, txid } = await handed(id)
      await decideWithdrawal({ ...service.context(), record: () => [] }, id, 'refund')
      await service.confirm(8)
      expect(stateOf(id)).toMatchObject({ state: 'waiting', ending: 'refunded', reason: expect.stringContaining(coin) })
      expect(await balance()).toBeLessThan(before)
      await expect(giveBack(id, await sign(psbt))).rejects.toMatchObject({ code: 'withdrawal_ended' })
      await spendBack(coin)
      await service.confirm(5)
      expect(stateOf(id)).toMatchObject({ state: 'waiting', ending: 'refunded' })
      await service.confirm(3)
      // Whether the other transaction was its own, which a wallet may have lost, only who looks at the chain knows.
      expect(stateOf(id)).toMatchObject({ state: 'waiting', ending: 'refunded', reason: expect.stringContaining(txid) })
      await decideWithdrawal({ ...service.context(), record: () => [] }, id, 'refund')
      await service.confirm(1)
      expect([stateOf(id)?.state, await balance(), await received(address)]).toEqual(['refunded', before, 0])
    })

    it('is paid, and not refunded, where its PSBT is mined while it ends', async () => {
      const before = await balance()
      const { id, address } = await withdraw(COIN)
      const { psbt } = await handed(id)
      await decideWithdrawal({ ...service.context(), record: () => [] }, id, 'refund')
      await service.work()
      await send(await sign(psbt))
      await service.confirm(9)
      expect([await received(address), stateOf(id)?.state]).toEqual([1, 'confirmed'])
      expect(await balance()).toBeLessThan(before)
    })

    it('is made anew with the same coin where another coin of it was spent', async () => {
      const { id, address } = await withdraw(3n * COIN)
      const first = await handed(id)
      const spends = inputsOf(id)
      expect(spends.length).toBeGreaterThan(1)
      await spendBack(spends.find((spent) => spent !== first.coin) ?? '')
      await service.confirm(1)
      const second = await handed(id)
      expect([second.coin, second.txid === first.txid]).toEqual([first.coin, false])
      await giveBack(id, await sign(second.psbt))
      await service.confirm(3)
      expect([await received(address), stateOf(id)?.state]).toEqual([3, 'confirmed'])
    })

    it('is held above a limit, and handed out when an operator has approved it', async () => {
      const { payoutLimits } = service.config.chains.Bitcoin
      const { hour } = payoutLimits
      payoutLimits.hour = 1n
      const { id } = await withdraw(COIN / 10n)
      expect([stateOf(id)?.state, await listed()]).toEqual(['held', []])
      await decideWithdrawal({ ...service.context(), record: () => [] }, id, 'approve')
      await service.work()
      payoutLimits.hour = hour
      await giveBack(id, await sign((await handed(id)).psbt))
      await service.confirm(3)
      expect(stateOf(id)?.state).toBe('confirmed')
    })

    it('accepts no higher fee once its PSBT is made, and cannot be cancelled then', async () => {
      const { id } = await withdraw(COIN / 10n)
      service.setEstimate('0.009')
      const consent = { id, maxFee: COIN }
      await expect(consentToFee(service.context(), USER, consent)).rejects.toMatchObject({ code: 'withdrawal_signed' })
      service.setEstimate('0.0001')
      await expect(cancelWithdrawal(service.context(), USER, id)).rejects.toMatchObject({ code: 'withdrawal_signed' })
      await giveBack(id, await sign((await handed(id)).psbt))
      await service.confirm(3)
    })

    it('is handed out only when the bucket has a record of it', async () => {
      const { bucket, d1 } = service
      const put = bucket.put.bind(bucket)
      bucket.put = async (key, ...more) => {
        if (key.startsWith('payouts/')) throw new Error('the bucket does not take it')
        return await put(key, ...more)
      }
      const { id, address } = await withdraw(COIN / 10n)
      expect([d1.rows('SELECT cause FROM stops'), await listed()]).toEqual([[{ cause: 'records' }], []])
      bucket.put = put
      await service.confirm(1)
      await service.work()
      await giveBack(id, await sign((await handed(id)).psbt))
      await service.confirm(3)
      expect(await received(address)).toBe(0.1)
    })

    it('waits where its PSBT would cost more than its fee allows', async () => {
      const address = String(await service.call('customer', 'getnewaddress'))
      const order = { blockchain: 'Bitcoin' as const, address, amount: COIN / 10n, maxFee: undefined }
      const { id } = JSON.parse(await createWithdrawal(service.context(), USER, order))
      const [asked] = service.d1.rows('SELECT fee FROM withdrawals WHERE id = ?', id)
      // A node charges some 1,400 for it, and twice as much as this is allowed.
      service.d1.rows("UPDATE withdrawals SET fee = '600' WHERE id = ?", id)
      await service.work()
      expect([stateOf(id)?.reason, await listed()]).toEqual([expect.stringContaining('far above'), []])
      service.d1.rows('UPDATE withdrawals SET fee = ? WHERE id = ?', String(asked?.fee), id)
      service.d1.rows('DELETE FROM set_aside')
      await service.work()
      await giveBack(id, await sign((await handed(id)).psbt))
      await service.confirm(3)
    })

    it('reserves the coin that it is tied to while it has no PSBT, also if others need coins', async () => {
      const { id, address } = await withdraw(3n * COIN)
      const first = await handed(id)
      const own = inputsOf(id)
      const all = Object.values(Object(await service.call('cold', 'listunspent', 0))).flatMap((one) => {
        const { txid, vout } = Object(one)
        return own.includes(`${txid}:${vout}`) ? [] : [{ txid, vout: Number(vout) }]
      })
      await service.call('cold', 'lockunspent', false, all)
      await spendBack(own.find((spent) => spent !== first.coin) ?? '')
      await service.confirm(1)
      const other = await withdraw(COIN / 10n)
      expect([await listed(), stateOf(other.id)?.reason]).toEqual([[], expect.stringContaining('no confirmed coins')])
      await service.call('cold', 'lockunspent', true, all)
      await service.work()
      expect((await handed(id)).coin).toBe(first.coin)
      for (const one of await listed()) await giveBack(one.id, await sign(one.psbt))
      await service.confirm(3)
      expect([await received(address), await received(other.address)]).toEqual([3, 0.1])
    })

    it('is not handed out any more once an operator ends it', async () => {
      const before = await balance()
      const { bucket, d1 } = service
      const put = bucket.put.bind(bucket)
      bucket.put = async (key, ...more) => {
        if (key.startsWith('payouts/')) throw new Error('the bucket does not take it')
        return await put(key, ...more)
      }
      const { id } = await withdraw(COIN / 10n)
      bucket.put = put
      await decideWithdrawal({ ...service.context(), record: () => [] }, id, 'refund')
      await service.confirm(2)
      expect([await listed(), d1.rows('SELECT offered FROM psbts')]).toEqual([[], [{ offered: 0 }]])
      const [coin = ''] = inputsOf(id)
      await spendBack(coin)
      await service.confirm(8)
      expect([stateOf(id)?.state, await balance()]).toEqual(['refunded', before])
    })

    it('fills the wallet that writes where an operator sweeps the cold one', async () => {
      const address = String(await service.call('service', 'getnewaddress'))
      const order = {
        blockchain: 'Bitcoin' as const,
        address,
        amount: COIN,
        maxFee: undefined,
        wallet: 'cold' as const,
      }
      const { id } = await sweepCoins(service.context(), order, () => [])
      await service.work()
      await giveBack(id, await sign((await handed(id)).psbt))
      await service.confirm(3)
      expect(Number(await service.call('service', 'getreceivedbyaddress', address, 1))).toBe(1)
      await compareSends(service.db, service.rpc, 'Bitcoin', Date.now())
      // What was spent back by hand above, the wallet has listed as nothing that left it.
      expect(await selectUnassigned(service.db, 10)).toEqual([])
    })

    it('is not paid twice after a restore of the database to before it was handed out', async () => {
      const { db } = service
      const address = String(await service.call('customer', 'getnewaddress'))
      const order = { blockchain: 'Bitcoin' as const, address, amount: COIN, maxFee: undefined }
      const { id } = JSON.parse(await createWithdrawal(service.context(), USER, order))
      const restore = service.keepRows()
      await service.work()
      const first = await handed(id)
      restore()
      await service.work()
      expect([service.d1.rows('SELECT cause FROM stops'), await listed()]).toEqual([[{ cause: 'restored' }], []])
      await requireAssigned(service.context(), 'Bitcoin')
      // Another coin would be chosen by now.
      await service.call('customer', 'sendtoaddress', await service.call('cold', 'getnewaddress'), '1.01')
      await service.confirm(6)
      const go = { payouts: false, writing: false, reason: 'looked at' }
      await stopChain({ db, now: Date.now(), record: () => [] }, 'Bitcoin', go)
      await service.work()
      const second = await handed(id)
      expect(second.coin).toBe(first.coin)
      await send(await sign(second.psbt))
      if (second.txid !== first.txid)
        await expect(send(await sign(first.psbt))).rejects.toThrow(/conflict|spent|replacement|fee/)
      await service.confirm(4)
      expect([await received(address), stateOf(id)?.state]).toEqual([1, 'confirmed'])
    })

    it('is not made anew where a restored database has lost that it was paid', async () => {
      const { db } = service
      const address = String(await service.call('customer', 'getnewaddress'))
      const order = { blockchain: 'Bitcoin' as const, address, amount: COIN, maxFee: undefined }
      const { id } = JSON.parse(await createWithdrawal(service.context(), USER, order))
      const restore = service.keepRows()
      await service.work()
      const first = await handed(id)
      await giveBack(id, await sign(first.psbt))
      await service.confirm(2)
      restore()
      await service.confirm(2)
      const go = { payouts: false, writing: false, reason: 'looked at' }
      await compareSends(db, service.rpc, 'Bitcoin', Date.now())
      expect(await selectUnassigned(db, 10)).toMatchObject([{ txid: first.txid }])
      await expect(requireAssigned(service.context(), 'Bitcoin')).rejects.toMatchObject({ code: 'sends_unassigned' })
      const { assignSend } = await import('../../../worker/features/operate/assign-send.ts')
      await assignSend(
        service.context(),
        first.txid,
        { as: 'withdrawal', account: undefined, amount: undefined },
        () => [],
      )
      await stopChain({ db, now: Date.now(), record: () => [] }, 'Bitcoin', go)
      await service.confirm(4)
      expect([await listed(), await received(address), stateOf(id)?.state]).toEqual([[], 1, 'confirmed'])
    })

    it('leaves no tx chain that the wallet with keys would go on from', () => {
      expect(service.d1.rows("SELECT COUNT(*) AS n FROM lanes WHERE cold = 1 AND state = 'open'")).toEqual([{ n: 0 }])
      expect(service.d1.rows('SELECT COUNT(*) > 5 AS some FROM lanes WHERE cold = 1')).toEqual([{ some: 1 }])
    })

    /** Spends a coin of the cold wallet to its own change, as an operator does. */
    async function spendBack(coin: string): Promise<void> {
      const [txid = '', vout] = coin.split(':')
      const all = await service.call('cold', 'listunspent', 0)
      const value = Array.isArray(all) ? all.find((one) => one.txid === txid && one.vout === vout)?.amount : undefined
      const to = await service.call('cold', 'getrawchangeaddress')
      const outputs = [{ [String(to)]: (Number(value) - 0.01).toFixed(8) }]
      const options = { add_inputs: false, feeRate: '0.001' }
      const inputs = [{ txid, vout: Number(vout) }]
      const funded = Object(await service.call('cold', 'walletcreatefundedpsbt', inputs, outputs, 0, options, true))
      await send(await sign(funded.psbt))
    }

    function inputsOf(id: string): string[] {
      return service.d1
        .rows('SELECT txid, vout FROM psbt_inputs WHERE withdrawal_id = ?', id)
        .map(({ txid, vout }) => `${txid}:${vout}`)
    }
  })
}
