import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { listPsbts } from '../../../../worker/features/cold/list-psbts.ts'
import { payFromCold } from '../../../../worker/features/cold/pay-from-cold.ts'
import { hasPayoutRecord, putPayoutRecord } from '../../../../worker/features/wallet/payout-records.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, list, read } from '../../rows.ts'

const tip = { height: 9, hash: 'tip' }
const coin = { coin_txid: 'c'.repeat(64), coin_vout: 0, coin_value: '9', coin_script: '51' }

beforeEach(async () => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  await clear('psbts', 'psbt_inputs', 'withdrawals', 'blocks', 'stops', 'payout_numbers', 'chain_states')
  await add('blocks', tip)
})
afterEach(() => void vi.restoreAllMocks())

/** A withdrawal with a PSBT that nobody was shown yet. */
async function made(id: string, withdrawal: object = {}, more: object = {}): Promise<void> {
  await add('withdrawals', { id, cold: 1, ...coin, ...withdrawal })
  const change = { change_vout: 0, change_value: '0', change_script: '' }
  const row = { blockchain: 'Bitcoin', txid: `${id}-txid`, psbt: '', fee: '3', vsize: 100, created_at: 0 }
  await add('psbts', { ...row, withdrawal_id: id, ...change, ...more })
}

/** A step for withdrawals of the offline wallet, whose node knows nothing and has spent nothing. */
async function step(own = 0): Promise<number> {
  const context = contextOf()
  const chains = { ...context.config.chains, Bitcoin: { ...context.config.chains.Bitcoin, watch: 'cold' } }
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method }) => (method === 'gettxout' ? { result: {} } : { error: { code: -5, message: '' } }))
  const kept = { number: own }
  const numbers = {
    read: async () => kept.number,
    write: async (number: number) => void Object.assign(kept, { number }),
  }
  await payFromCold({ ...context, rpc, numbers, config: { ...context.config, chains } }, tip)
  return kept.number
}

const offered = () => read('psbts', 'withdrawal_id', 'offered')
const shown = async () => JSON.parse(await listPsbts(env.DB)).psbts.map(({ id }: { id: string }) => id)

describe('a PSBT that was made', () => {
  it('is shown once it is counted with the payouts, in the database and with the agent, and has a record', async () => {
    await made('a')
    await made('b')
    expect(await shown()).toEqual([])
    expect(await step()).toBe(2)
    expect([await offered(), await read('payout_numbers', 'blockchain', 'number')]).toEqual([
      ...[{ a: 1, b: 1 }, { Bitcoin: 2 }],
    ])
    expect([await hasPayoutRecord(env.BUCKET, 'Bitcoin', 'a'), await shown()]).toEqual([true, ['a', 'b']])
    expect(await step(2)).toBe(2)
  })

  it('is not shown while an operator ends its withdrawal, and has no record then', async () => {
    await made('ends', { ending: 'refunded' })
    await made('fine')
    expect([await step(), await offered()]).toEqual([1, { ends: 0, fine: 1 }])
    expect(await hasPayoutRecord(env.BUCKET, 'Bitcoin', 'ends')).toBe(false)
  })

  it('is forgotten where an earlier payout of its withdrawal has another coin, which that is tied to then', async () => {
    await made('twice')
    const asked = { id: 'twice', account: 'ada', address: 'x', script: '52', amount: 6n, fee: 1n, feeRate: 1n }
    const lane = { script: '51', vsize: 100, fee: 1n, changeVout: 0, changeValue: 0n }
    const other = { txid: 'd'.repeat(64), vout: 1, value: 9n, script: '51' }
    const record = { ...asked, coin: other, cold: true, unsigned: undefined, lane }
    await putPayoutRecord(env.BUCKET, 'Bitcoin', 'e'.repeat(64), record)
    expect([await step(), await offered()]).toEqual([0, {}])
    expect(await read('withdrawals', 'id', 'coin_txid')).toEqual({ twice: other.txid })
  })

  it('is shown to nobody while the bucket takes no record of it: payouts stop', async () => {
    await made('a')
    vi.spyOn(env.BUCKET, 'put').mockRejectedValue(new Error('down'))
    expect([await step(), await offered(), await list('stops', 'cause')]).toEqual([0, { a: 0 }, ['records']])
  })

  it('is shown to nobody where the database is older than what was paid out', async () => {
    await made('a')
    expect([await step(3), await offered(), await list('stops', 'cause')]).toEqual([3, { a: 0 }, ['restored']])
  })

  it('is neither offered nor shown while payouts are stopped, and those of other chains are', async () => {
    await made('stopped', {}, { offered: 1 })
    await made('fresh')
    await made('other', { blockchain: 'Nativecoin' }, { blockchain: 'Nativecoin', offered: 1 })
    await add('stops', { blockchain: 'Bitcoin', part: 'payouts', cause: 'hand', reason: '', since: 1 })
    expect([await step(), await shown(), await offered()]).toEqual([0, ['other'], { fresh: 0, other: 1, stopped: 1 }])
  })
})
