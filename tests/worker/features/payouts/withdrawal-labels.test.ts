import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { selectPayoutNumber } from '../../../../worker/chain/follower/payout-numbers.ts'
import { countLabelled } from '../../../../worker/chain/rpc/address-methods.ts'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { decideWithdrawal } from '../../../../worker/features/operate/decide-withdrawal.ts'
import { type EndingContext, endUnsigned } from '../../../../worker/features/payouts/end/end-withdrawal.ts'
import { ENDING_MS, findEnded, labelPayout } from '../../../../worker/features/payouts/restore/withdrawal-labels.ts'
import { add, clear, list, type Row, read } from '../../rows.ts'
import { noLabels } from './no-labels.ts'

const { DB, BUCKET } = env
const NOW = 1_800_000_000_000
const NO_SUCH_LABEL = { error: { code: -11, message: 'No addresses with this label' } }
/** How many addresses of the wallet have a label. */
const labels = new Map<string, number>()

beforeEach(async () => {
  labels.clear()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await clear('withdrawals', 'stops', 'payout_numbers', 'failed_records')
  await add('withdrawals', { id: 'w' })
})

function answer({ method, params }: RpcCall): RpcOutcome {
  const label = String(params[0])
  const count = labels.get(label) ?? 0
  if (method === 'getnewaddress') labels.set(label, count + 1)
  if (method === 'getnewaddress') return { result: `${label} ${count}` }
  if (count === 0) return NO_SUCH_LABEL
  return { result: Object.fromEntries(Array.from({ length: count }, (_, index) => [`${label} ${index}`, {}])) }
}
const wallet: WalletRpc = async (calls) => calls.map(answer)

const context = (given: Partial<EndingContext> = {}) => ({
  ...{ ...noLabels, db: DB, bucket: BUCKET, rpc: wallet, rpcOf: () => wallet, now: NOW, record: () => [] },
  noticeRestore: () => selectPayoutNumber(DB, 'Bitcoin'),
  ...given,
})
const end = (given?: Partial<EndingContext>) => endUnsigned(context(given), 'w', 'cancelled', () => [])
/** An end whose statements fail each time, after the wallet has its label. */
const failToEnd = () =>
  endUnsigned(context(), 'w', 'cancelled', () => [DB.prepare('INSERT INTO assertions (holds) VALUES (0)')])
const sign = (now = NOW) => labelPayout(context({ now }), { id: 'w', blockchain: 'Bitcoin' })
const states = async () => [await list('withdrawals', 'state'), await list('stops', 'cause')]
/** Takes the row of the withdrawal back to what it is now. */
async function copy(): Promise<() => Promise<void>> {
  const row = await DB.prepare('SELECT * FROM withdrawals').first<Row>()
  return async () => {
    await clear('withdrawals', 'payout_numbers')
    await add('withdrawals', { ...row })
  }
}

describe('a withdrawal', () => {
  it('is labelled once, before it is first signed', async () => {
    expect([await sign(), await sign(), labels]).toEqual([true, true, new Map([['hookline:payout:w', 1]])])
  })

  it('is not signed where the database does not know that something was signed for it', async () => {
    const restore = await copy()
    await sign()
    await restore()
    expect([await sign(), await states()]).toEqual([false, [['held'], ['sends']]])
  })

  it('is not signed where the database does not know of its end', async () => {
    const restore = await copy()
    await end()
    await restore()
    expect([await sign(), await states()]).toEqual([false, [['held'], ['sends']]])
    await expect(end()).rejects.toMatchObject({ code: 'payouts_stopped' })
  })

  it('is signed after an end that failed', async () => {
    await expect(failToEnd()).rejects.toMatchObject({ code: 'busy' })
    expect([labels.has('hookline:ended:w'), await sign(), await states()]).toEqual([true, true, [['waiting'], []]])
  })

  it('is not signed after an end that failed, a copy, and an end that did not', async () => {
    await expect(failToEnd()).rejects.toMatchObject({ code: 'busy' })
    const restore = await copy()
    await end()
    await restore()
    expect([await sign(), await states()]).toEqual([false, [['held'], ['sends']]])
  })

  it('is not signed after an end during which the copy was made', async () => {
    let restore = async () => {}
    const rpc: WalletRpc = async (calls) => {
      restore = await copy()
      return await wallet(calls)
    }
    await end({ rpcOf: () => rpc })
    await restore()
    expect(await list('withdrawals', 'end_begun')).toEqual([NOW])
    // It may be ended at this moment, and so stops nothing.
    expect([await sign(NOW + ENDING_MS - 1), await states()]).toEqual([false, [['waiting'], []]])
    expect([await sign(NOW + ENDING_MS), await states()]).toEqual([false, [['held'], ['sends']]])
  })

  it('is not signed after an end before which the wallet had not taken a label', async () => {
    const rpc: WalletRpc = async (calls) =>
      calls.map((call) => (call.method === 'getnewaddress' ? { error: { code: -12, message: 'empty' } } : answer(call)))
    await expect(end({ rpcOf: () => rpc })).rejects.toMatchObject({ code: 'payment_unavailable' })
    const restore = await copy()
    expect(await sign()).toBe(true)
    await end()
    await restore()
    expect([await sign(), await states()]).toEqual([false, [['held'], ['sends']]])
  })

  it('is not signed where an operator has approved it, and it has ended later', async () => {
    const first = await copy()
    await end()
    await first()
    await sign()
    await decideWithdrawal(context(), 'w', 'approve')
    await clear('stops')
    const restore = await copy()
    expect(await sign()).toBe(true)
    await end()
    await restore()
    expect([await sign(), await states()]).toEqual([false, [['held'], ['sends']]])
  })

  it('is ended by one request at a time', async () => {
    await DB.prepare('UPDATE withdrawals SET end_begun = ?')
      .bind(NOW - 1)
      .run()
    await expect(end()).rejects.toMatchObject({ code: 'busy' })
    labels.set('hookline:ended:w', 1)
    await expect(end()).rejects.toMatchObject({ code: 'busy' })
    expect(await states()).toEqual([['waiting'], []])
  })
})

it('what was signed is found where the wallet has a label of an end that the database does not explain', async () => {
  await add('withdrawals', { id: 'explained', end_labels: 1 }, { id: 'ending', ending: 'refunded' })
  for (const id of ['w', 'explained', 'ending']) labels.set(`hookline:ended:${id}`, 1)
  const find = (now: number) => findEnded(context({ now }), 'Bitcoin', ['w', 'explained', 'ending', 'other'])
  await DB.prepare("UPDATE withdrawals SET end_begun = ? WHERE id = 'w'").bind(NOW).run()
  expect([await find(NOW), await list('stops', 'cause')]).toEqual([new Map([['w', true]]), []])
  expect([await find(NOW + ENDING_MS), await list('stops', 'cause')]).toEqual([new Map([['w', false]]), ['sends']])
  expect(await read('withdrawals', 'id', 'state')).toMatchObject({ w: 'waiting' })
})

describe('the labels of a wallet', () => {
  const ask = (blockchain: 'Bitcoin' | 'Dogecoin', outcome: RpcOutcome) =>
    countLabelled(async (calls) => calls.map(() => outcome), blockchain, ['a'])

  it('are counted by addresses, or by those of an account', async () => {
    const two = new Map([['a', 2]])
    expect(await ask('Bitcoin', { result: { one: { purpose: 'receive' }, two: {} } })).toEqual(two)
    expect(await ask('Dogecoin', { result: ['one', 'two'] })).toEqual(two)
    expect([await ask('Bitcoin', NO_SUCH_LABEL), await ask('Dogecoin', { result: [] })]).toEqual([new Map(), new Map()])
  })

  it('are not what a node answers in another shape, nor none where it refuses', async () => {
    for (const result of [['one'], 'one', null, undefined]) {
      await expect(ask('Bitcoin', { result })).rejects.toMatchObject({ failure: 'invalid_response' })
    }
    await expect(ask('Dogecoin', { result: { one: {} } })).rejects.toMatchObject({ failure: 'invalid_response' })
    await expect(ask('Bitcoin', { error: { code: -18, message: 'no wallet' } })).rejects.toMatchObject({ code: -18 })
  })
})
