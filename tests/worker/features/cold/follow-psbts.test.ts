import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction, transactionId } from '../../../../protocol/transaction.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { followPsbts } from '../../../../worker/features/cold/follow-psbts.ts'
import { selectPsbts } from '../../../../worker/features/cold/sql/psbts.ts'
import { contextOf } from '../../agent-contexts.ts'
import { notedStep } from '../../noted-step.ts'
import { add, clear, list, read } from '../../rows.ts'
import { refuseRecords } from '../wallet/refuse-records.ts'

const tip = { height: 9, hash: 'tip' }
const coin = { txid: 'c'.repeat(64), vout: 0 }
const bytes = encodeTransaction({
  ...{ version: 2, lockTime: 0 },
  inputs: [{ ...coin, script: new Uint8Array(0), sequence: 0, witness: [] }],
  outputs: [{ value: 6n, script: Uint8Array.of(0x51) }],
})
const txid = transactionId(bytes)

beforeEach(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const first = ['transaction_inputs', 'transactions', 'lanes', 'signed_bundles', 'psbts', 'psbt_inputs', 'withdrawals']
  await clear(...first, 'blocks', 'sends', 'stops')
  await add('blocks', tip)
})

/** A withdrawal that was handed out, to be signed, and comes back `signed` where that is given. */
async function hand(withdrawal: object = {}, signed: string | null = null): Promise<void> {
  const tied = { coin_txid: coin.txid, coin_vout: 0, coin_value: '9', coin_script: '51' }
  await add('withdrawals', { id: 'asked', cold: 1, ...tied, ...withdrawal })
  const change = { change_vout: 0, change_value: '0', change_script: '' }
  const sizes = { fee: '3', vsize: 100, created_at: 0, offered: 1 }
  await add('psbts', { withdrawal_id: 'asked', blockchain: 'Bitcoin', txid, psbt: '', signed, ...change, ...sizes })
  await add('psbt_inputs', { blockchain: 'Bitcoin', ...coin, withdrawal_id: 'asked' })
}

/**
 * Follows it with a wallet that knows `known` and a node by which its coin is spent, or not. Nothing is done twice in a
 * row.
 */
async function follow({ known = false, isSpent = false, at = tip } = {}): Promise<void> {
  const rpc: WalletRpc = async (calls) =>
    calls.map(({ method }) => {
      if (method === 'gettxout') return { result: isSpent ? null : {} }
      return known ? { result: { hex: toHex(bytes), confirmations: '0' } } : { error: { code: -5, message: '' } }
    })
  const { context, twice } = notedStep({ ...contextOf(), rpc })
  await followPsbts(context, at, await selectPsbts(env.DB, 'Bitcoin', 9))
  expect(twice).toEqual([])
}

const sent = async () => [await list('psbts', 'withdrawal_id'), await read('transactions', 'txid', 'state')]

describe('what was handed out to be signed', () => {
  it('stays so while nobody has sent it and its coin is there', async () => {
    await hand()
    await follow()
    expect(await sent()).toEqual([['asked'], {}])
  })

  it('goes on as a transaction of ours once it came back signed, on a tx chain that nothing goes on from', async () => {
    await hand({}, toHex(bytes))
    await follow()
    expect(await sent()).toEqual([[], { [txid]: 'signed' }])
    expect(await list('lanes', "state || ' ' || cold")).toEqual(['closed 1'])
    expect(await list('transaction_inputs', 'prev_txid')).toEqual([coin.txid])
  })

  it('is sent already where the wallet knows it, to be checked at once, and no unknown send any more', async () => {
    await hand()
    await add('sends', { blockchain: 'Bitcoin', txid, amount: '6', seen_at: 0 })
    await follow({ known: true })
    expect(await sent()).toEqual([[], { [txid]: 'sent' }])
    expect(await list('transactions', 'checked_height')).toEqual([tip.height - 1])
    expect(await read('sends', 'txid', 'assigned')).toEqual({ [txid]: 'withdrawal' })
  })

  it('is not sent, and payouts stop, where the bucket takes no record of the txid that it has signed', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await hand({}, toHex(bytes))
    await env.DB.prepare("UPDATE psbts SET txid = 'unsigned'").run()
    const takeRecords = refuseRecords()
    await follow()
    takeRecords()
    expect([...(await sent()), await list('stops', 'cause')]).toEqual([['asked'], {}, ['records']])
    expect(log.mock.calls.map(([event]) => event)).toEqual(['payout_not_recorded', 'payouts_stopped'])
  })

  it.each(['cancelled', 'refunded', 'paid_elsewhere', 'confirmed'])(
    'is not sent once its withdrawal is %s',
    async (state) => {
      await hand({ state }, toHex(bytes))
      await follow({ known: true })
      expect(await sent()).toEqual([[], {}])
    },
  )

  it('is not sent beside a payout that an operator has assigned, but in place of one that is dead', async () => {
    for (const state of ['sent', 'dead']) {
      await clear('transactions', 'lanes', 'psbts', 'psbt_inputs', 'withdrawals')
      await hand({}, toHex(bytes))
      await add('lanes', { id: 1 })
      await add('transactions', { txid: 'other', withdrawal_id: 'asked', state, dead: state === 'dead' ? 1 : 0 })
      await follow()
      expect(await sent()).toEqual([[], { other: state, ...(state === 'dead' ? { [txid]: 'signed' } : {}) }])
    }
  })

  it('is over where a block has spent its coin otherwise, as long as that is the chain that is followed', async () => {
    await hand()
    await follow({ isSpent: true, at: { height: 9, hash: 'another' } })
    expect(await sent()).toEqual([['asked'], {}])
    await follow({ isSpent: true })
    expect([...(await sent()), await list('psbt_inputs', 'txid')]).toEqual([[], {}, []])
  })
})
