import { beforeEach, describe, expect, it, vi } from 'vitest'
import { NodeError } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { RpcError, type WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { recordPayments } from '../../../../worker/features/payments/record-payments.ts'
import { contextOf } from '../../agent-contexts.ts'
import { notedStep } from '../../noted-step.ts'
import { add, addMany, clear, read, runSql } from '../../rows.ts'

const NOW = 1_800_000_000_000
const DAY = 86_400_000
const TIP = { height: 100, hash: 'tip' }
/** The wallet as it was when it was searched up to the block before the last. */
const SCAN = {
  blockchain: 'Bitcoin',
  height: 99,
  hash: 'searched',
  tx_count: 5,
  wallet_keys: '11',
  waiting: 0,
  sends_known: 1,
}

type Answers = Record<string, (...params: unknown[]) => unknown>

const refuse = (method: string) => () => {
  throw new RpcError(method, { code: -5, message: 'not found' })
}
const isTooLarge = () => {
  throw new NodeError('too_large', 'The answer is too large.')
}
/** A wallet with as many transactions and keys as it had, that lists nothing and knows nothing else. */
const SAME: Answers = {
  getwalletinfo: () => ({ txcount: '5', scanning: false }),
  getaddressinfo: () => ({ ismine: true }),
  listsinceblock: () => ({ transactions: [] }),
  listtransactions: () => [],
  gettransaction: refuse('gettransaction'),
  getmempoolentry: refuse('getmempoolentry'),
}

/** What the wallet lists of a transaction that pays us. */
const entry = (txid: string, more: object = {}) => {
  return { txid, category: 'receive', address: 'paid', timereceived: '1', confirmations: '0', ...more }
}

/** One look at a wallet that answers so: how it ended, and the batches that it was asked, as text. */
async function look(answers: Answers = {}) {
  const found = contextOf()
  const asked: string[][] = []
  const rpc: WalletRpc = async (calls) => {
    if (calls.length > 0) asked.push(calls.map(({ method, params }) => [method, ...params].join(' ')))
    return calls.map(({ method, params }) => {
      try {
        return { result: { ...SAME, ...answers }[method]?.(...params) }
      } catch (error) {
        if (error instanceof RpcError) return { error: { code: error.code, message: error.message } }
        throw error
      }
    })
  }
  const { context, twice } = notedStep({ ...found, rpc, now: NOW })
  const outcome = await recordPayments(context, TIP)
  expect(twice).toEqual([])
  const of = (method: string) => asked.filter(([first]) => first?.split(' ')[0] === method)
  return { outcome, of, lists: asked.flat().filter((call) => call.startsWith('list')) }
}

const scanned = async (column: string) => (await read('wallet_scans', 'blockchain', column)).Bitcoin

beforeEach(async () => {
  await clear('failed_records', 'outputs', 'addresses', 'wallet_scans', 'blocks')
  const blocks = [{ height: 97, hash: 'oldest' }, { height: 98, hash: 'next' }, { height: 99, hash: 'searched' }, TIP]
  await add('blocks', ...blocks)
  await add('addresses', { address: 'paid' })
  await add('wallet_scans', SCAN)
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  return () => vi.restoreAllMocks()
})

describe('one look', () => {
  it('asks for a hundred transactions at a time, and for two thousand in all: the next look goes on', async () => {
    const transactions = Array.from({ length: 2_001 }, (_, at) => entry(`t${at}`))
    const { outcome, of } = await look({ listsinceblock: () => ({ transactions }) })
    expect([outcome, of('gettransaction').map(({ length }) => length)]).toEqual(['more', Array(20).fill(100)])
  })

  it('asks anew about two thousand that no block has', async () => {
    await addMany('outputs', 2_001, { txid: "printf('%04d', n)", address: "'paid'", in_mempool: '1' })
    const { of } = await look({ getmempoolentry: () => ({}) })
    expect(of('getmempoolentry').flat()).toHaveLength(2_000)
  })

  it('notes how many of the wallet are in no block that was followed, and until when one that lost some is watched', async () => {
    const transactions = [entry('a', { blockhash: 'next' }), entry('b', { blockhash: 'unknown' }), entry('c')]
    await look({ listsinceblock: () => ({ transactions: transactions.map((one) => ({ ...one, address: 'other' })) }) })
    expect([await scanned('waiting'), await scanned('restored_until')]).toEqual([2, null])
    await look({ getwalletinfo: () => ({ txcount: '4', scanning: false }) })
    expect([await scanned('tx_count'), await scanned('restored_until')]).toEqual([4, NOW + DAY])
  })

  it('counts no fewer than none where the wallet listed more than it has', async () => {
    await look({
      getwalletinfo: () => ({ txcount: '0', scanning: false }),
      listsinceblock: () => ({ transactions: [entry('listed')] }),
    })
    expect(await scanned('tx_count')).toBe(0)
  })
})

describe('what no block has', () => {
  const DAYS = 14 * DAY
  const shown = async () => await read('outputs', 'txid', "in_mempool || ' ' || dropped")

  it('is noted as back in the mempool, or gone from it, and given up after two weeks', async () => {
    await add(
      'outputs',
      { txid: 'back', address: 'paid', gone_at: NOW - DAY },
      { txid: 'gone', address: 'paid', in_mempool: 1 },
      { txid: 'old', address: 'paid', gone_at: NOW - DAYS - 1 },
      { txid: 'young', address: 'paid', gone_at: NOW - DAYS },
    )
    const getmempoolentry = (txid: unknown) => (txid === 'back' ? {} : refuse('getmempoolentry')())
    await look({ getmempoolentry })
    expect(await shown()).toEqual({ back: '1 0', gone: '0 0', old: '0 1', young: '0 0' })
  })

  it('is left as it was by a look at a tip that another step has replaced meanwhile', async () => {
    await add('outputs', { txid: 'gone', address: 'paid', in_mempool: 1 })
    const above = () => add('blocks', { height: 101, hash: 'above' })
    const found = contextOf()
    const rpc: WalletRpc = async (calls) => {
      if (calls[0]?.method === 'getmempoolentry') await above()
      return calls.map(({ method, params }) => {
        const isUnknown = method === 'getmempoolentry' || method === 'gettransaction'
        return isUnknown ? { error: { code: -5, message: 'not found' } } : { result: SAME[method]?.(...params) }
      })
    }
    await recordPayments({ ...found, rpc, now: NOW }, TIP)
    expect(await shown()).toEqual({ gone: '1 0' })
    await add('outputs', { txid: 'later', address: 'paid', in_mempool: 1 })
    await runSql("UPDATE wallet_scans SET hash = 'searched', height = 99")
    expect((await look()).of('getmempoolentry')).toEqual([])
    expect([await shown(), await scanned('hash')]).toEqual([{ gone: '1 0', later: '1 0' }, 'searched'])
  })
})

describe('a wallet that does not say how many transactions it has', () => {
  it('leaves their recorded number as it was, and is not asked again for it', async () => {
    const { of } = await look({ getwalletinfo: () => ({ scanning: false }) })
    expect([await scanned('tx_count'), await scanned('height'), of('getwalletinfo').length]).toEqual([5, 100, 1])
  })
})

describe('an address that the database has lost', () => {
  it('is a record for the operator where the node says that it is none, and the step goes on', async () => {
    await add('users', { id: 'ada' })
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const transactions = [entry('lost', { address: 'none', label: 'hookline:deposit:ada:' })]
    const { outcome } = await look({
      listsinceblock: () => ({ transactions }),
      validateaddress: () => ({ isvalid: false }),
    })
    expect([outcome, await read('failed_records', 'id', 'kind')]).toEqual(['done', { none: 'owner' }])
  })
})

describe('a wallet that may have more than it lists as new', () => {
  const grown = { getwalletinfo: () => ({ txcount: '9', scanning: false }) }
  const [since, whole] = ['listsinceblock searched', 'listsinceblock']
  const afterMinutes = (minutes: number) => runSql('UPDATE wallet_scans SET searched_at = ?', NOW - 60_000 * minutes)

  it('is searched whole, and says so', async () => {
    expect((await look(grown)).lists).toEqual([since, whole])
    expect([await scanned('searched_at'), await scanned('search_due')]).toEqual([NOW, 0])
  })

  it('is searched every ten minutes at most: what is due is not forgotten', async () => {
    await afterMinutes(9)
    expect((await look(grown)).lists).toEqual([since])
    expect([await scanned('tx_count'), await scanned('search_due')]).toEqual([9, 1])
    // It has as many as before now, and still there may be more than it listed.
    expect((await look(grown)).lists).toEqual(['listsinceblock tip'])
    await afterMinutes(10)
    expect((await look(grown)).lists).toEqual(['listsinceblock tip', whole])
    expect(await scanned('search_due')).toBe(0)
    expect((await look(grown)).lists).toEqual(['listsinceblock tip'])
  })

  it('is searched at once where an operator asks for it, or the clock went back', async () => {
    await afterMinutes(1)
    await runSql('UPDATE wallet_scans SET tx_count = 0')
    expect((await look(grown)).lists).toEqual([since, whole])
    await runSql('UPDATE wallet_scans SET tx_count = 1')
    await afterMinutes(-1)
    expect((await look(grown)).lists).toEqual(['listsinceblock tip', whole])
  })

  it('is searched again where the node has not answered to the end: until then nothing says that it was', async () => {
    const isAway = () => {
      throw new NodeError('timeout', 'The node did not answer.')
    }
    const listsinceblock = (hash: unknown) => (hash === undefined ? isAway() : { transactions: [] })
    await expect(look({ ...grown, listsinceblock })).rejects.toThrow('did not answer')
    expect([await scanned('searched_at'), await scanned('tx_count')]).toEqual([0, 5])
    expect((await look(grown)).lists).toEqual([since, whole])
  })

  it('is not searched where that is too long for one answer, and the step goes on', async () => {
    const listsinceblock = (hash: unknown) => (hash === undefined ? isTooLarge() : { transactions: [] })
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await look({ ...grown, listsinceblock })).outcome).toBe('done')
    expect(log.mock.calls[0]?.[0]).toBe('wallet_not_searched')
  })
})

describe('a node that has never seen the block that was searched last', () => {
  it('is asked for all behind the oldest block that is kept', async () => {
    const listsinceblock = (hash: unknown) => (hash === 'searched' ? refuse('listsinceblock')() : { transactions: [] })
    expect((await look({ listsinceblock })).lists).toEqual(['listsinceblock searched', 'listsinceblock oldest'])
  })

  it('is not asked again where that is the oldest', async () => {
    await runSql('DELETE FROM blocks WHERE height < 99')
    await expect(look({ listsinceblock: refuse('listsinceblock') })).rejects.toThrow('not found')
  })
})
