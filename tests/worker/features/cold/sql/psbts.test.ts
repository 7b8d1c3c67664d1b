import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  deletePsbtStatements,
  type HandedPsbt,
  insertPsbtStatements,
  keepSignedStatements,
  markOfferedStatement,
  selectPsbtInputs,
  selectPsbts,
} from '../../../../../worker/features/cold/sql/psbts.ts'
import type { Coin } from '../../../../../worker/features/wallet/sql/tx-chains.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, list, read } from '../../../rows.ts'

const { DB } = env
beforeEach(() => clear('psbts', 'psbt_inputs', 'withdrawals'))

const coin = (txid: string): Coin => ({ txid, vout: 0, value: 9n, script: '51' })
const made = (withdrawalId: string, given: Partial<HandedPsbt> = {}) => ({
  ...{ withdrawalId, blockchain: 'Bitcoin' as const, txid: `${withdrawalId}-txid`, psbt: '', fee: 1n, vsize: 100 },
  ...{ changeVout: 0, changeValue: 0n, changeScript: '', createdAt: 0 },
  ...given,
})
const insert = (withdrawalId: string, coins: readonly string[], given: Partial<HandedPsbt> = {}) =>
  batchIf(DB, insertPsbtStatements(DB, made(withdrawalId, given), coins.map(coin)))

describe('a PSBT', () => {
  it('is one of each withdrawal, and spends no coin of another', async () => {
    expect(await insert('a', ['one', 'two'])).toBe(true)
    expect(await insert('a', ['three'])).toBe(false)
    expect(await insert('b', ['four', 'two'])).toBe(false)
    expect(await insert('b', ['four'])).toBe(true)
    expect(await list('psbt_inputs', 'withdrawal_id || txid')).toEqual(['aone', 'atwo', 'bfour'])
  })

  it('is listed with those of its chain, the oldest first, and so is what it spends', async () => {
    await insert('young', ['a'], { createdAt: 2 })
    await insert('old', ['b'], { createdAt: 1 })
    await insert('other', ['c'], { blockchain: 'Nativecoin' })
    expect((await selectPsbts(DB, 'Bitcoin', 9)).map(({ withdrawalId }) => withdrawalId)).toEqual(['old', 'young'])
    expect((await selectPsbts(DB, 'Bitcoin', 1)).map(({ withdrawalId }) => withdrawalId)).toEqual(['old'])
    expect((await selectPsbtInputs(DB, 'Bitcoin')).map(({ txid }) => txid).sort()).toEqual(['a', 'b'])
  })

  it('is offered by itself, and not where another was made for its withdrawal meanwhile', async () => {
    for (const id of ['a', 'b', 'c']) await insert(id, [id])
    await markOfferedStatement(DB, made('a')).run()
    await markOfferedStatement(DB, { withdrawalId: 'b', txid: 'of before' }).run()
    expect(await read('psbts', 'withdrawal_id', 'offered')).toEqual({ a: 1, b: 0, c: 0 })
  })

  it.each<[string, object, Partial<HandedPsbt>]>([
    ['was not offered', {}, { offered: false }],
    ['is another than was signed', {}, { txid: 'of before' }],
    ['is of a withdrawal that is over', { state: 'cancelled' }, {}],
    ['is of a withdrawal that an operator ends', { ending: 'refunded' }, {}],
  ])('is not taken back where it %s', async (_, withdrawal, { offered = true, ...given }) => {
    await add('withdrawals', { id: 'a', ...withdrawal })
    await insert('a', ['one'])
    if (offered) await markOfferedStatement(DB, made('a')).run()
    expect(await batchIf(DB, keepSignedStatements(DB, made('a', given), 'ff'))).toBe(false)
    expect(await read('psbts', 'withdrawal_id', 'signed')).toEqual({ a: null })
  })

  it.each(['waiting', 'sent'])('is taken back while its withdrawal is %s', async (state) => {
    await add('withdrawals', { id: 'a', state }, { id: 'b', state })
    for (const id of ['a', 'b']) {
      await insert(id, [id])
      await markOfferedStatement(DB, made(id)).run()
    }
    expect(await batchIf(DB, keepSignedStatements(DB, made('a'), 'ff'))).toBe(true)
    expect(await read('psbts', 'withdrawal_id', 'signed')).toEqual({ a: 'ff', b: null })
  })

  it('is forgotten once, with what it spends, and not in place of another of its withdrawal', async () => {
    for (const id of ['a', 'b']) await insert(id, [id])
    expect(await batchIf(DB, deletePsbtStatements(DB, { withdrawalId: 'a', txid: 'of before' }))).toBe(false)
    expect(await batchIf(DB, deletePsbtStatements(DB, made('a')))).toBe(true)
    expect(await batchIf(DB, deletePsbtStatements(DB, made('a')))).toBe(false)
    expect([await list('psbts', 'withdrawal_id'), await list('psbt_inputs', 'txid')]).toEqual([['b'], ['b']])
  })
})
