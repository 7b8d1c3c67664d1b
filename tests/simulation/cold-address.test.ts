import { beforeAll, describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import { decodeTransaction, encodeTransaction, transactionId } from '../../protocol/transaction.ts'
import { walletRpc } from '../../worker/chain/rpc/wallet-rpc.ts'
import { listPsbts } from '../../worker/features/cold/list-psbts.ts'
import { returnPsbt } from '../../worker/features/cold/return-psbt.ts'
import { assignSend } from '../../worker/features/operate/assign-send.ts'
import { compareSends } from '../../worker/features/operate/compare-sends.ts'
import { decideWithdrawal } from '../../worker/features/operate/decide-withdrawal.ts'
import { sweepCoins } from '../../worker/features/operate/pay-out.ts'
import { readReconciliations } from '../../worker/features/operate/reconcile.ts'
import { selectUnassigned } from '../../worker/features/operate/sql/sends.ts'
import { stopChain } from '../../worker/features/operate/stop-chain.ts'
import { createAddress } from '../../worker/features/payments/create-address.ts'
import { selectBalances } from '../../worker/features/payments/sql/ledger.ts'
import { getPayoutRecord } from '../../worker/features/wallet/payout-records.ts'
import { createWithdrawal } from '../../worker/features/withdrawals/create-withdrawal.ts'
import { strikeAt } from '../kit/in-process/strike-at.ts'
import { type serviceOnDaemon, USER } from '../node/writer/service-on-daemon.ts'
import { type Unsigned, useColdAddress } from './open-cold-address.ts'

const COIN = 100_000_000n
const CUSTOMER = 'customer'

interface Listed extends Unsigned {
  id: string
  address: string
  txid: string | null
  coin: string
  state: string
}

describe('a withdrawal on Dogecoin that is paid from an address whose key is offline', () => {
  const chain = useColdAddress()
  let service: Awaited<ReturnType<typeof serviceOnDaemon>>

  const balance = async () => (await selectBalances(service.db, USER)).Dogecoin ?? 0n
  const received = async (address: string) => Number(await service.call(CUSTOMER, 'getreceivedbyaddress', address, 0))
  const stateOf = (id: string) => service.d1.rows('SELECT state, reason, ending FROM withdrawals WHERE id = ?', id)[0]
  const listed = async (): Promise<Listed[]> => JSON.parse(await listPsbts(service.db)).psbts
  const handed = async (id: string) => {
    const found = (await listed()).find((one) => one.id === id)
    if (!found) throw new Error(`it is not handed out: ${JSON.stringify(stateOf(id))}`)
    return found
  }
  const ask = async (amount: bigint) => {
    const address = String(await service.call(CUSTOMER, 'getnewaddress'))
    const order = { blockchain: 'Dogecoin' as const, address, amount, maxFee: undefined }
    return { id: String(JSON.parse(await createWithdrawal(service.context(), USER, order)).id), address }
  }
  const withdraw = async (amount: bigint) => {
    const asked = await ask(amount)
    await service.work()
    return asked
  }
  const giveBack = async (id: string, hex: string | undefined) =>
    await returnPsbt(service.context(), id, { hex }, () => [])
  const send = async (hex: string) => String(await service.call(CUSTOMER, 'sendrawtransaction', hex, true))
  const txidOf = (hex: string) => transactionId(fromHex(hex) ?? new Uint8Array(0))
  const unassigned = async () => {
    await compareSends(service.db, service.rpc, 'Dogecoin', Date.now())
    return await selectUnassigned(service.db, 10)
  }
  const goOn = async () => {
    const go = { payouts: false, writing: false, reason: 'looked at' }
    await stopChain({ db: service.db, now: Date.now(), record: () => [] }, 'Dogecoin', go)
  }
  const difference = async () => {
    const [found] = await readReconciliations(service.db, service.config, Date.now())
    if (!found) throw new Error('nothing was compared')
    return [found.wallet - found.ledger, found.chain - found.ledger, found.unassigned]
  }
  /** Spends a coin of the cold address to itself, as an operator does to end a withdrawal. */
  const spendOtherwise = async (coin: string) => {
    const [txid = '', vout] = coin.split(':')
    const all = await service.call('', 'listunspent', 0, 9_999_999, [chain.cold])
    const found = Array.isArray(all) ? all.find((one) => one.txid === txid && one.vout === vout) : undefined
    const outputs = { [chain.cold]: (Number(found.amount) - 1).toFixed(8) }
    const hex = String(await service.call('', 'createrawtransaction', [{ txid, vout: Number(vout) }], outputs))
    const prevtxs = [{ txid, vout: Number(vout), scriptPubKey: found.scriptPubKey, amount: found.amount }]
    return await send(chain.sign({ hex, prevtxs }))
  }

  beforeAll(async () => {
    service = await chain.open()
    await service.work()
    // Paid before there is a balance.
    await service.paidItem('11111111-1111-4111-8111-111111111111', 200)
    const { address } = await createAddress(service.context(), USER, 'Dogecoin')
    await service.call(CUSTOMER, 'sendtoaddress', address, '20000')
    await service.confirm(7)
    for (let coin = 0; coin < 10; coin++) {
      const order = { blockchain: 'Dogecoin' as const, address: chain.cold, amount: 500n * COIN, maxFee: undefined }
      await sweepCoins(service.context(), order, () => [])
    }
    service.d1.rows('UPDATE withdrawals SET cold = 0')
    await service.confirm(8)
    await compareSends(service.db, service.rpc, 'Dogecoin', Date.now())
  })

  it('is swept to by the wallet with keys, which spends nothing of it, and counts as held', async () => {
    expect(service.d1.rows("SELECT COUNT(*) AS n FROM withdrawals WHERE state = 'confirmed'")).toEqual([{ n: 10 }])
    const [found] = await readReconciliations(service.db, service.config, Date.now())
    const hot = Number(await service.call('', 'getbalance'))
    expect(Number(found?.held) / Number(COIN)).toBeCloseTo(hot + 5_000, 6)
    expect([await difference(), await balance()]).toEqual([[0n, 0n, 0n], 20_000n * COIN])
    expect(await service.untilStored('11111111-1111-4111-8111-111111111111')).toBe(200)
    const coins = await service.call('', 'listunspent', 1, 9_999_999, [chain.cold])
    expect(Array.isArray(coins) && coins.length).toBe(10)
  })

  it('is handed out as a raw transaction with what it spends, and sent when it is returned signed', async () => {
    const before = await balance()
    const { id, address } = await withdraw(100n * COIN)
    const one = await handed(id)
    expect(one).toMatchObject({ address, state: 'waiting', txid: null, prevtxs: [{ amount: '500' }] })
    expect(Object.keys(one)).not.toContain('psbt')
    expect(one.coin).toBe(`${one.prevtxs[0]?.txid}:${one.prevtxs[0]?.vout}`)
    await service.confirm(2)
    expect(await received(address)).toBe(0)
    const signed = chain.sign(one)
    await giveBack(id, signed)
    expect(await handed(id)).toMatchObject({ state: 'signed', txid: txidOf(signed) })
    await service.work()
    expect([await received(address), stateOf(id)?.state, await listed()]).toEqual([100, 'sent', []])
    expect(await getPayoutRecord(service.bucket, 'Dogecoin', txidOf(signed))).toMatchObject({ id, cold: true })
    await service.confirm(8)
    expect([await received(address), stateOf(id)?.state]).toEqual([100, 'confirmed'])
    expect(before - (await balance())).toBeGreaterThan(100n * COIN)
    expect([await unassigned(), await difference()]).toEqual([[], [0n, 0n, 0n]])
  })

  it('is refused as it was handed out, as another, altered, partly signed and as nonsense', async () => {
    const { id, address } = await withdraw(100n * COIN)
    const [one, other] = [await handed(id), await handed((await withdraw(50n * COIN)).id)]
    const signed = chain.sign(one)
    const altered = (change: (transaction: ReturnType<typeof decodeTransaction>) => void) => {
      const transaction = decodeTransaction(fromHex(signed) ?? new Uint8Array(0))
      change(transaction)
      return toHex(encodeTransaction(transaction))
    }
    const flipped = altered(({ inputs: [input] }) => {
      if (input) input.script = input.script.with(20, (input.script[20] ?? 0) ^ 1)
    })
    const richer = altered(({ outputs: [output] }) => {
      if (output) output.value += 1n
    })
    const extra = altered(({ inputs: [input], inputs }) => {
      if (input) inputs.push({ ...input, vout: input.vout + 1 })
    })
    const final = altered(({ inputs: [input] }) => {
      if (input) input.sequence = 0xffff_ffff
    })
    const foreign = 'must be the transaction that was offered'
    for (const [hex, why] of [
      [one.hex, 'lacks signatures'],
      ...[chain.sign(other), richer, extra, final, 'nonsense', '', `${signed}00`].map((hex) => [hex, foreign]),
      [flipped, 'has a signature that is not valid'],
      ...['NONE', 'SINGLE', 'ALL|ANYONECANPAY'].map((kind) => [chain.sign(one, kind), 'SIGHASH_ALL']),
      [undefined, 'is missing'],
    ] as const) {
      await expect(giveBack(id, hex), String(hex)).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining(String(why)),
      })
    }
    await service.work()
    expect(await received(address)).toBe(0)
    await giveBack(id, signed)
    await giveBack(id, signed)
    await giveBack(other.id, chain.sign(other))
    await service.confirm(8)
    expect([await received(address), await received(other.address)]).toEqual([100, 50])
    await expect(giveBack(id, signed)).rejects.toMatchObject({ status: 404 })
  })

  it('is refused while a coin of it is spent, or its fee is below what the node takes now', async () => {
    const { id, address } = await withdraw(100n * COIN)
    const one = await handed(id)
    await service.call('', 'devsetoption', 'minrelaytxfee', '0.1')
    await expect(giveBack(id, chain.sign(one))).rejects.toMatchObject({
      ...{ status: 409, code: 'psbt_refused' },
      message: expect.stringContaining('min relay fee not met'),
    })
    await service.call('', 'devsetoption', 'minrelaytxfee', '0.001')
    await spendOtherwise(one.coin)
    await expect(giveBack(id, chain.sign(one))).rejects.toMatchObject({
      ...{ status: 409, code: 'psbt_refused' },
      message: expect.stringContaining('another transaction spends one of its inputs'),
    })
    await service.confirm(1)
    // What it is tied to may come back.
    expect([await listed(), await received(address)]).toEqual([[], 0])
    // It was set aside for a while.
    service.d1.rows('DELETE FROM set_aside')
    await decideWithdrawal({ ...service.context(), record: () => [] }, id, 'refund')
    await service.confirm(10)
    expect(stateOf(id)).toMatchObject({ state: 'refunded' })
    expect([await received(address), await unassigned(), await difference()]).toEqual([0, [], [0n, 0n, 0n]])
  })

  it('stays handed out while what spends its coin is in no block, and is taken when that is gone', async () => {
    const { id, address } = await withdraw(100n * COIN)
    const one = await handed(id)
    const other = await spendOtherwise(one.coin)
    await service.work()
    chain.node.evict([other])
    await giveBack(id, chain.sign(one))
    await service.confirm(9)
    expect([stateOf(id)?.state, await received(address)]).toEqual(['confirmed', 100])
  })

  it('is paid after all where it is mined while an operator ends it', async () => {
    const { id, address } = await withdraw(100n * COIN)
    const one = await handed(id)
    await decideWithdrawal({ ...service.context(), record: () => [] }, id, 'refund')
    await service.confirm(2)
    expect(stateOf(id)).toMatchObject({ ending: 'refunded', reason: expect.stringContaining(one.coin) })
    await expect(giveBack(id, chain.sign(one))).rejects.toMatchObject({ code: 'withdrawal_ended' })
    await send(chain.signAgain(one))
    await service.mine(1)
    await service.confirm(8)
    expect([stateOf(id)?.state, stateOf(id)?.ending, await received(address)]).toEqual(['confirmed', null, 100])
    expect([await listed(), await unassigned(), await difference()]).toEqual([[], [], [0n, 0n, 0n]])
  })

  it('waits, and is asked about, where its coin is spent and the wallet has lost by what', async () => {
    const { id, address } = await withdraw(100n * COIN)
    const one = await handed(id)
    await decideWithdrawal({ ...service.context(), record: () => [] }, id, 'refund')
    const txid = await send(chain.signAgain(one))
    chain.node.mine(chain.node.wallets.get('')?.addKey('', true).script ?? new Uint8Array(0))
    const forget = () => chain.node.wallets.get('')?.forgetTransactions([txid])
    forget()
    await service.work()
    expect(await handed(id)).toMatchObject({ state: 'ending' })
    for (let block = 0; block < 9; block++) {
      await service.mine(1)
      forget()
      await service.work()
    }
    expect(stateOf(id)).toMatchObject({
      ending: 'refunded',
      reason: expect.stringContaining(`the transaction that spends ${one.coin}`),
    })
    expect(await received(address)).toBe(100)
    chain.node.rescan(chain.node.wallets.get('') ?? Object(undefined), chain.node.chain.height - 12)
    await service.confirm(8)
    expect([stateOf(id)?.state, stateOf(id)?.ending]).toEqual(['confirmed', null])
    expect([await listed(), await unassigned(), await difference()]).toEqual([[], [], [0n, 0n, 0n]])
  })

  it('is found where somebody has sent it elsewhere, whatever its txid is', async () => {
    const { id, address } = await withdraw(100n * COIN)
    const one = await handed(id)
    const txid = await send(chain.signAgain(one))
    expect(txid).not.toBe(txidOf(chain.sign(one)))
    await compareSends(service.db, service.rpc, 'Dogecoin', Date.now())
    await service.work()
    expect([await listed(), stateOf(id)?.state, await unassigned()]).toEqual([[], 'sent', []])
    expect(await getPayoutRecord(service.bucket, 'Dogecoin', txid)).toMatchObject({ id })
    await service.confirm(8)
    expect([await received(address), stateOf(id)?.state]).toEqual([100, 'confirmed'])
    expect([await unassigned(), await difference()]).toEqual([[], [0n, 0n, 0n]])
  })

  it('is taken for paid where it is mined with other signatures than were returned', async () => {
    const { id, address } = await withdraw(100n * COIN)
    const one = await handed(id)
    await giveBack(id, chain.sign(one))
    // Ours is in nobody's mempool when a miner has the other.
    const { bucket } = service
    const put = bucket.put.bind(bucket)
    bucket.put = async (key, ...more) => {
      if (key.startsWith('payouts/')) throw new Error('the bucket does not take it')
      return await put(key, ...more)
    }
    await service.work()
    expect([stateOf(id)?.state, await received(address)]).toEqual(['waiting', 0])
    bucket.put = put
    await goOn()
    await service.work()
    expect(await received(address)).toBe(100)
    chain.node.evict([txidOf(chain.sign(one))])
    const txid = await send(chain.signAgain(one))
    await service.confirm(9)
    expect([stateOf(id)?.state, await received(address)]).toEqual(['confirmed', 200])
    expect(service.d1.rows('SELECT txid, state FROM transactions WHERE withdrawal_id = ?', id)).toEqual([
      { txid: txidOf(chain.sign(one)), state: 'dead' },
      { txid, state: 'mined' },
    ])
    expect([await unassigned(), await difference()]).toEqual([[], [0n, 0n, 0n]])
  })

  it('is not paid twice after a restore of the database to before it was handed out', async () => {
    const { id, address } = await ask(100n * COIN)
    const restore = service.keepRows()
    await service.work()
    const first = await handed(id)
    restore()
    await service.work()
    expect([service.d1.rows('SELECT cause FROM stops'), await listed()]).toEqual([[{ cause: 'restored' }], []])
    await service.confirm(1)
    await goOn()
    await service.work()
    const second = await handed(id)
    expect(second.coin).toBe(first.coin)
    await send(chain.signAgain(second))
    if (second.hex !== first.hex)
      await expect(send(chain.sign(first))).rejects.toThrow(/conflict|spent|replacement|fee/)
    await service.confirm(9)
    expect([await received(address), stateOf(id)?.state]).toEqual([100, 'confirmed'])
  })

  it.each(['listed', 'forgotten'])(
    'is not made anew where a restored database has it %s and it was sent',
    async (how) => {
      const asked = await ask(100n * COIN)
      const before = service.keepRows()
      await service.work()
      const one = await handed(asked.id)
      const restore = how === 'listed' ? service.keepRows() : before
      await giveBack(asked.id, chain.sign(one))
      await service.confirm(2)
      restore()
      await service.confirm(2)
      if (how === 'forgotten') {
        expect(await unassigned()).toMatchObject([{ txid: txidOf(chain.sign(one)), amount: 100n * COIN }])
        const order = { as: 'withdrawal' as const, account: undefined, amount: undefined }
        await assignSend(service.context(), txidOf(chain.sign(one)), order, () => [])
      }
      await goOn()
      await service.confirm(8)
      expect([await listed(), await received(asked.address)]).toEqual([[], 100])
      expect(stateOf(asked.id)?.state).toBe('confirmed')
      expect([await unassigned(), await difference()]).toEqual([[], [0n, 0n, 0n]])
    },
  )

  it('is assigned by its record where somebody sent it and a restored database has lost all of it', async () => {
    const before = await balance()
    const restore = service.keepRows()
    const { id, address } = await withdraw(100n * COIN)
    const debited = before - (await balance())
    const one = await handed(id)
    restore()
    const txid = await send(chain.signAgain(one))
    await service.confirm(2)
    expect(await unassigned()).toMatchObject([{ txid, amount: 100n * COIN }])
    await assignSend(service.context(), txid, { as: 'withdrawal', account: undefined, amount: undefined }, () => [])
    await goOn()
    await service.confirm(8)
    expect([stateOf(id)?.state, await received(address)]).toEqual(['confirmed', 100])
    // What was debited for the fee, not what its transaction pays of that.
    expect(before - (await balance())).toBe(debited)
    expect([await listed(), await unassigned(), await difference()]).toEqual([[], [], [0n, 0n, 0n]])
  })

  it('is not handed out for a second coin by an agent that went on while the database was restored', async () => {
    const { id } = await ask(100n * COIN)
    const moment = service.d1.noteMoment()
    let first: Listed | undefined
    strikeAt(service.d1, /INSERT INTO psbts /, async () => {
      // One that is older takes the coin that was chosen for this.
      const address = String(await service.call(CUSTOMER, 'getnewaddress'))
      const order = { blockchain: 'Dogecoin' as const, address, amount: 100n * COIN, maxFee: undefined }
      await createWithdrawal({ ...service.context(), now: Date.now() - 60_000 }, USER, order)
      await service.work()
      first = await handed(id)
      service.d1.restore(moment)
    })
    await service.work()
    const [tied] = service.d1.rows(`SELECT coin_txid || ':' || coin_vout AS coin FROM withdrawals WHERE id = ?`, id)
    expect([await listed(), tied?.coin === first?.coin]).toEqual([[], false])
    await service.work()
    await goOn()
    // The first gives up what spends the other coin.
    for (let step = 0; step < 2; step++) await service.work()
    expect((await handed(id)).coin).toBe(first?.coin)
    await giveBack(id, chain.sign(await handed(id)))
    await service.confirm(9)
    expect(stateOf(id)?.state).toBe('confirmed')
  })

  it('says that fees are above its own where blocks pass by what was signed', async () => {
    const { id } = await withdraw(100n * COIN)
    const { blockMinFeeRate } = chain.node.settings
    chain.node.reconfigure({ blockMinFeeRate: COIN })
    await giveBack(id, chain.sign(await handed(id)))
    await service.confirm(5)
    expect(stateOf(id)).toMatchObject({ state: 'sent', reason: null })
    await service.confirm(2)
    expect(stateOf(id)?.reason).toContain('fees are above its fee now')
    chain.node.reconfigure({ blockMinFeeRate })
    await service.confirm(8)
    expect(stateOf(id)).toMatchObject({ state: 'confirmed', reason: null })
  })

  it('waits while its fee would be above what may be', async () => {
    const { id, address } = await ask(100n * COIN)
    service.d1.rows("UPDATE withdrawals SET fee = '1000' WHERE id = ?", id)
    await service.work()
    expect([stateOf(id)?.reason, await listed()]).toEqual([expect.stringContaining('far above'), []])
    service.d1.rows("UPDATE withdrawals SET fee = '100000000' WHERE id = ?", id)
    service.d1.rows('DELETE FROM set_aside')
    await service.work()
    await giveBack(id, chain.sign(await handed(id)))
    await service.confirm(8)
    expect([await received(address), stateOf(id)?.state]).toEqual([100, 'confirmed'])
  })

  it('fills the wallet that writes where an operator sweeps the address', async () => {
    const address = String(await service.call('', 'getnewaddress'))
    const swept = { blockchain: 'Dogecoin' as const, address, amount: 700n * COIN, maxFee: undefined }
    const { id } = await sweepCoins(service.context(), { ...swept, wallet: 'cold' }, () => [])
    await service.work()
    const one = await handed(id)
    expect(one.prevtxs.length).toBeGreaterThan(1)
    await giveBack(id, chain.sign(one))
    await service.confirm(8)
    expect(Number(await service.call('', 'getreceivedbyaddress', address, 1))).toBe(700)
    expect([await unassigned(), await difference()]).toEqual([[], [0n, 0n, 0n]])
  })

  it('lists what left the address without the service, and only what others got of it', async () => {
    const all = await service.call('', 'listunspent', 6, 9_999_999, [chain.cold])
    const free = (Array.isArray(all) ? all : []).find(({ amount }) => Number(amount) > 100)
    const to = String(await service.call(CUSTOMER, 'getnewaddress'))
    const outputs = { [to]: '25', [chain.cold]: (Number(free.amount) - 26).toFixed(8) }
    const inputs = [{ txid: free.txid, vout: Number(free.vout) }]
    const hex = String(await service.call('', 'createrawtransaction', inputs, outputs))
    const txid = await send(chain.sign({ hex, prevtxs: [{ ...free, ...inputs[0] }] }))
    await service.confirm(1)
    expect(await unassigned()).toMatchObject([{ txid, amount: 25n * COIN }])
    await assignSend(service.context(), txid, { as: 'foreign', account: undefined, amount: undefined }, () => [])
  })

  it('stops, and says why, while the wallet does not watch the address, or has its key', async () => {
    const own = String(await service.call('', 'getnewaddress'))
    const other = String(await service.call(CUSTOMER, 'getnewaddress'))
    const p2sh = '2N7PQL7W2GJPm8BD5rL4t8FQT95KJCUF2Zq'
    for (const [coldAddress, why] of [
      [own, 'the wallet has the private key of the cold address'],
      [other, 'the wallet does not watch the cold address'],
      [p2sh, 'the cold address is no P2PKH address of this chain'],
    ] as const) {
      const chains = { ...service.config.chains, Dogecoin: { ...service.config.chains.Dogecoin, coldAddress } }
      const rpc = walletRpc(chains.Dogecoin)
      const wrong = { ...service.context(), config: { ...service.config, chains }, rpcOf: () => rpc }
      await expect(createAddress(wrong, USER, 'Dogecoin')).rejects.toMatchObject({
        code: 'payment_unavailable',
        cause: `the node has no usable wallet: ${why}`,
      })
    }
  })
})
