import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { NodeError } from '../../../../worker/chain/rpc/rpc-transport.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { recordPayments } from '../../../../worker/features/payments/record-payments.ts'
import { contextOf } from '../../agent-contexts.ts'
import { beforeBatch } from '../../before-batch.ts'
import { add, clear, count, list, read } from '../../rows.ts'

const { DB } = env
const NOW = 1_800_000_000_000
const TIP = { height: 6, hash: 'tip' }
const txid = 'a'.repeat(64)
const said: unknown[][] = []

beforeEach(async () => {
  said.length = 0
  vi.spyOn(console, 'error').mockImplementation((...line) => void said.push(line))
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  await clear(
    'sends',
    'stops',
    'transactions',
    'tx_chains',
    'wallet_scans',
    'blocks',
    'addresses',
    'outputs',
    'failed_records',
  )
  await add('blocks', { height: 5, hash: 'before' }, TIP)
  return () => vi.restoreAllMocks()
})

const sent = (id: string, more: object = {}) => {
  return { category: 'send', amount: '-0.5', confirmations: '3', txid: id, timereceived: '1', ...more }
}
/** A search of what left the wallet, too, up to the block before the last. */
const searched = (more: object = {}) =>
  add('wallet_scans', { blockchain: 'Bitcoin', height: 5, hash: 'before', sends_known: 1, ...more })

/** One look at a wallet that lists so since a block, and so where nothing is said of it. */
async function look(
  { since = [], whole = since, txcount }: { since?: unknown[]; whole?: unknown[] | Error; txcount?: string },
  db: D1Database = DB,
) {
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method, params }) => {
      if (method === 'getwalletinfo') return { result: { scanning: false, ...(txcount ? { txcount } : {}) } }
      if (method !== 'listsinceblock') return { error: { code: -5, message: 'not found' } }
      if (params.length > 0) return { result: { transactions: since } }
      if (whole instanceof Error) throw whole
      return { result: { transactions: whole } }
    })
  return await recordPayments({ ...contextOf(), db, rpc, now: NOW }, TIP)
}

const stops = () => list('stops', "part || ' ' || cause")

describe('what left the wallet and the database does not know', () => {
  it('is listed with the position of the search, and stops payouts: nothing of it without the other', async () => {
    await searched()
    const db = beforeBatch(DB, () => add('blocks', { height: 7, hash: 'above' }))
    expect([await look({ since: [sent(txid)] }, db), await count('sends'), await stops()]).toEqual(['partly', 0, []])
    await DB.prepare('DELETE FROM blocks WHERE height = 7').run()
    expect(await look({ since: [sent(txid)] })).toBe('done')
    expect([await read('sends', 'txid', 'assigned'), await stops()]).toEqual([{ [txid]: null }, ['payouts sends']])
    expect(await list('wallet_scans', 'hash')).toEqual(['tip'])
    expect(said.map(([code]) => code)).toEqual(['sends_unknown'])
  })

  it('is told once, and no send that was signed here is taken for one', async () => {
    await searched()
    await add('tx_chains', { id: 1 })
    await add('transactions', { txid: 'b'.repeat(64) })
    await look({ since: [sent('b'.repeat(64))] })
    expect([await count('sends'), await stops()]).toEqual([0, []])
    const stopped = () => count("audit WHERE act = 'chain.stopped'")
    const before = await stopped()
    for (let times = 0; times < 2; times++) await look({ since: [sent(txid)] })
    expect([await count('sends'), await stopped()]).toEqual([1, before + 1])
  })

  it('is taken in some thousands at a time, from the same block on', async () => {
    await searched()
    const since = Array.from({ length: 5_001 }, (_, index) => sent(index.toString(16).padStart(64, '0')))
    expect([await look({ since }), await count('sends'), await list('wallet_scans', 'height')]).toEqual([
      ...['more', 5_000, [5]],
    ])
    expect([await look({ since }), await count('sends'), await list('wallet_scans', 'height')]).toEqual([
      ...['done', 5_001, [6]],
    ])
  })
})

describe('the first search of a wallet for what left it', () => {
  it('takes all that ever did for assigned, which is in the audit log', async () => {
    await searched({ sends_known: 0 })
    expect(await look({ whole: [sent(txid)], since: [] })).toBe('done')
    expect([await list('sends', 'assigned'), await stops()]).toEqual([['foreign'], []])
    expect(await list("audit WHERE act = 'sends.assigned'", 'subject')).toEqual(['wallet:Bitcoin'])
    expect(said).toEqual([])
    await look({ since: [sent(txid), sent('b'.repeat(64))] })
    expect(await stops()).toEqual(['payouts sends'])
  })

  it('assigns nothing by itself where the database was restored to a moment before', async () => {
    await searched({ sends_known: 0 })
    await add('stops', { blockchain: 'Bitcoin', part: 'payouts', cause: 'restored', reason: '', since: 1 })
    await look({ whole: [sent(txid)], since: [] })
    expect([await list('sends', 'assigned'), await stops()]).toEqual([
      ...[[null], ['payouts restored', 'payouts sends']],
    ])
  })
})

describe('a wallet that has more transactions than it lists', () => {
  const known = { wallet_keys: '', tx_count: 5, waiting: 0 }

  it('is searched whole for what left it, too', async () => {
    await searched(known)
    expect(await look({ since: [], whole: [sent(txid)], txcount: '9' })).toBe('done')
    expect(await count('sends')).toBe(1)
  })

  it('leaves open what left it until that search is made', async () => {
    await searched({ ...known, searched_at: NOW - 1 })
    expect(await look({ since: [], whole: [sent(txid)], txcount: '9' })).toBe('partly')
    expect(await count('sends')).toBe(0)
  })

  it('stops payouts where it has too many for that', async () => {
    await searched(known)
    await look({ since: [], whole: new NodeError('too_large', 'too large'), txcount: '9' })
    expect([await count('sends'), await stops()]).toEqual([0, ['payouts sends']])
  })
})
