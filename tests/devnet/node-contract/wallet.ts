import { describe, expect, it } from 'vitest'
import { formatAmount } from '../../../protocol/amount.ts'
import { toHex } from '../../../protocol/bytes.ts'
import { at, list, text } from '../../kit/rpc-client.ts'
import { type Subject, UNKNOWN } from './subject.ts'

/** Signing, addresses, coins. */
export function describeWallet(on: Subject): void {
  describe('the wallet', () => {
    it('signs the same bytes every time', async () => {
      const coin = await on.bench.coin()
      const outputs = [{ value: coin.value - 20_000n, script: coin.script }]
      expect(await on.bench.sign([coin], outputs)).toBe(await on.bench.sign([coin], outputs))
    })

    it('signs a chain before any of it is sent, when told what it spends', async () => {
      const coin = await on.bench.coin()
      const change = { value: coin.value - 20_000n, script: coin.script }
      const first = await on.bench.sign([coin], [change])
      const txid = text(at(await on.bench.call('decoderawtransaction', first))('txid'))
      const next = on.bench.unsigned([{ txid, vout: 0, ...change }], [{ ...change, value: change.value - 20_000n }])
      const alone = at(await on.bench.call('signrawtransactionwithwallet', next))
      expect(alone('complete')).toBe(false)
      expect(alone('errors', 0, 'error')).toBe('Input not found or already spent')
      const spent = { txid, vout: 0, scriptPubKey: toHex(coin.script), amount: formatAmount(change.value) }
      const told = at(await on.bench.call('signrawtransactionwithwallet', next, [spent]))
      expect(told('complete')).toBe(true)
      await on.bench.send(first)
      await on.bench.send(text(told('hex')))
      await on.bench.mine()
    })

    it('gives addresses that are its own, each once', async () => {
      const addresses = [await on.bench.call('getnewaddress'), await on.bench.call('getnewaddress', 'label')]
      expect(new Set(addresses).size).toBe(2)
      const info = at(await on.bench.call('getaddressinfo', addresses[1]))
      expect([info('ismine'), info('iswitness'), info('ischange')]).toEqual([true, true, false])
      expect(at(await on.bench.call('validateaddress', addresses[0]))('isvalid')).toBe(true)
      expect(at(await on.bench.call('validateaddress', 'nowhere'))('isvalid')).toBe(false)
      expect((await on.bench.refusal('getaddressinfo', 'nowhere')).code).toBe(-5)
    })

    it('lists the label of an address with the payments to it', async () => {
      const address = text(await on.bench.call('getnewaddress', 'customer'))
      const coin = await on.bench.coin()
      const paid = { [address]: formatAmount(coin.value - 20_000n) }
      const hex = await on.bench.call('createrawtransaction', [{ txid: coin.txid, vout: coin.vout }], [paid])
      await on.bench.send(text(at(await on.bench.call('signrawtransactionwithwallet', hex))('hex')))
      await on.bench.mine()
      const { transactions } = Object(await on.bench.call('listsinceblock'))
      const received = list(transactions).find(
        (one) => at(one)('address') === address && at(one)('category') === 'receive',
      )
      expect(at(received)('label')).toBe('customer')
    })

    it('lists what it can spend, and not what is locked', async () => {
      const address = await on.bench.call('getnewaddress')
      const coin = await on.bench.coin()
      const hex = await on.bench.call(
        'createrawtransaction',
        [{ txid: coin.txid, vout: coin.vout }],
        [{ [text(address)]: formatAmount(coin.value - 20_000n) }],
      )
      const txid = await on.bench.send(text(at(await on.bench.call('signrawtransactionwithwallet', hex))('hex')))
      expect(await on.bench.call('listunspent', 1, 9_999_999, [address])).toEqual([])
      expect(list(await on.bench.call('listunspent', 0, 9_999_999, [address]))).toHaveLength(1)
      await on.bench.mine()
      const unspent = at(await on.bench.call('listunspent', 1, 9_999_999, [address]))
      expect([unspent(0, 'txid'), unspent(0, 'vout'), unspent(0, 'confirmations')]).toEqual([txid, 0, 1])
      expect(unspent(0, 'spendable')).toBe(true)
      const outputs = [{ txid, vout: 0 }]
      expect(await on.bench.call('lockunspent', false, outputs)).toBe(true)
      expect(list(await on.bench.call('listlockunspent'))).toContainEqual({ txid, vout: 0 })
      expect(await on.bench.call('listunspent', 1, 9_999_999, [address])).toEqual([])
      expect(await on.bench.refusal('lockunspent', false, outputs)).toMatchObject({
        code: -8,
        message: 'Invalid parameter, output already locked',
      })
      expect(await on.bench.call('lockunspent', true, outputs)).toBe(true)
      expect(await on.bench.refusal('lockunspent', true, outputs)).toMatchObject({
        code: -8,
        message: 'Invalid parameter, expected locked output',
      })
      expect(await on.bench.refusal('lockunspent', false, [{ txid: UNKNOWN, vout: 0 }])).toMatchObject({
        code: -8,
        message: 'Invalid parameter, unknown transaction',
      })
    })

    it('tells of its transactions since a block, and again of those a reorganisation took back', async () => {
      const address = text(await on.bench.call('getnewaddress'))
      const [before] = await on.bench.mine()
      const txid = text(await on.bench.call('sendtoaddress', address, 0.25))
      const waiting = list(at(await on.bench.call('listsinceblock', before))('transactions'))
      const received = (entries: unknown[]) =>
        entries.map(at).find((get) => get('txid') === txid && get('category') === 'receive')
      expect(received(waiting)?.('confirmations')).toBe(0)
      expect(received(waiting)?.('address')).toBe(address)
      expect(received(waiting)?.('amount')).toBe(0.25)
      const [mined] = await on.bench.mine()
      const since = at(await on.bench.call('listsinceblock', before))
      expect(since('lastblock')).toBe(mined)
      expect(received(list(since('transactions')))?.('blockhash')).toBe(mined)
      expect(received(list(at(await on.bench.call('listsinceblock', mined))('transactions')))).toBeUndefined()
      expect(at(await on.bench.call('listsinceblock', '', 2))('lastblock')).toBe(before)
      await on.bench.call('invalidateblock', mined)
      const reorganised = at(await on.bench.call('listsinceblock', mined))
      expect(received(list(reorganised('removed')))?.('txid')).toBe(txid)
      expect(received(list(reorganised('transactions')))?.('confirmations')).toBe(0)
      expect(await on.bench.refusal('listsinceblock', UNKNOWN)).toMatchObject({ code: -5, message: 'Block not found' })
      await on.bench.mineElsewhere()
    })

    it('tells of one transaction, and of none it does not know', async () => {
      const address = text(await on.bench.call('getnewaddress'))
      const txid = text(await on.bench.call('sendtoaddress', address, 0.125))
      const own = at(await on.bench.call('gettransaction', txid))
      expect([own('txid'), own('confirmations')]).toEqual([txid, 0])
      const receive = list(own('details'))
        .map(at)
        .find((get) => get('category') === 'receive')
      expect([receive?.('address'), receive?.('amount')]).toEqual([address, 0.125])
      expect(await on.bench.call('getrawtransaction', txid)).toBe(own('hex'))
      const [hash] = await on.bench.mine()
      const mined = at(await on.bench.call('gettransaction', txid))
      expect([mined('confirmations'), mined('blockhash')]).toEqual([1, hash])
      expect(await on.bench.refusal('gettransaction', UNKNOWN)).toMatchObject({
        code: -5,
        message: 'Invalid or non-wallet transaction id',
      })
      expect(await on.bench.call('getreceivedbyaddress', address)).toBe(0.125)
    })

    it('refuses to pay what is no address, no amount, or too much', async () => {
      const address = await on.bench.address()
      expect((await on.bench.refusal('sendtoaddress', 'nowhere', 1)).code).toBe(-5)
      expect(await on.bench.refusal('sendtoaddress', address, 0)).toMatchObject({
        code: -6,
        message: 'Transaction amount too small',
      })
      expect((await on.bench.refusal('sendtoaddress', address, -1)).code).toBe(-3)
      expect((await on.bench.refusal('sendtoaddress', address, '0.123456789')).code).toBe(-3)
      expect(await on.bench.refusal('sendtoaddress', address, 20_000_000)).toMatchObject({
        code: -6,
        message: 'Insufficient funds',
      })
    })
  })
}
