import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runStep } from '../../../../worker/agent/run-step.ts'
import { selectFailedRecords } from '../../../../worker/chain/follower/failed-records.ts'
import { chooseTried } from '../../../../worker/features/payouts/pay/send-withdrawals.ts'
import { countStatements } from '../../../../worker/platform/d1/count-statements.ts'
import { contextOf } from '../../agent-contexts.ts'
import { addMany, clear } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi } from '../items/api.ts'
import { newCustomer } from '../payments/customer.ts'
import { readAnswer } from '../payments/pay-for-items.ts'

const chain = useDevnet()
beforeEach(async () => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  chain.setAhead(0)
  await clear('failed_records', 'transactions', 'withdrawals')
})

/** Withdrawals of others, all asked for before any that an API is asked for. */
const addOthers = (count: number, columns: Record<string, string>) =>
  addMany('withdrawals', count, {
    ...{ id: "printf('%08x-other', n)", user_id: "'others'", amount: '1000' },
    ...{ script: `'0014${'ab'.repeat(20)}'`, fee_rate: "'1000000'" },
    ...columns,
  })

/** A withdrawal of a tenth of a coin. */
async function ask() {
  const { withdraw } = await newCustomer(chain)
  const { id } = await withdraw('0.1')
  const state = async () =>
    await env.DB.prepare('SELECT state FROM withdrawals WHERE id = ?').bind(id).first<string>('state')
  return { id, state }
}

/** Has the agent work in the second in which those whose id begins like this one have their turn. */
async function workInTurnOf(id: string): Promise<void> {
  const turn = Number.parseInt(id.slice(0, 2), 16)
  const now = Math.floor(Date.now() / 1000) % 256
  chain.setAhead(1000 * ((turn - now + 256) % 256))
  await chain.work('Bitcoin')
}

/** Statements that a step makes. */
async function countStep(): Promise<number> {
  const { db, count } = countStatements(env.DB)
  await runStep({ ...contextOf(), db, numbers: chain.numbersOf('Bitcoin') })
  return count()
}

describe('a withdrawal behind others that cannot be paid', () => {
  it('is paid though two hundred wait for lower fees', async () => {
    await addOthers(200, { fee_rate: "'1'" })
    const { id, state } = await ask()
    await workInTurnOf(id)
    expect(await state()).toBe('sent')
  })

  it('is paid though the oldest wait for coins that the wallet has not', async () => {
    const { id, state } = await ask()
    await addOthers(60, { amount: "'9000000000000000'" })
    await workInTurnOf(id)
    expect(await state()).toBe('sent')
  })

  it('is refunded though dozens wait for what has spent their coins', async () => {
    const { id, state } = await ask()
    await addOthers(40, {
      state: "'sent'",
      ending: "'refunded'",
      since: '0',
      coin_txid: "'c'",
      coin_vout: 'n',
    })
    await env.DB.prepare('UPDATE withdrawals SET coin_value = 1, coin_script = 0 WHERE coin_txid IS NOT NULL').run()
    await chain.work('Bitcoin')
    expect(await state()).toBe('sent')
    const operator = callApi((await signIn('admin')).headers)
    const act = { act: 'refund', reason: 'a test' }
    expect(await readAnswer(await operator.sendJson('POST', `/operate/withdrawal/${id}`, act))).toMatchObject({
      status: 200,
    })
    await workInTurnOf(id)
    await chain.mineAndWork('Bitcoin', 7)
    expect(await state()).toBe('refunded')
  })
})

describe('a step', () => {
  it('with hundreds of withdrawals that wait for coins makes no more statements than D1 allows', async () => {
    await chain.work('Bitcoin')
    await addOthers(400, { amount: "'9000000000000000'" })
    expect(await countStep()).toBeLessThan(700)
  })

  it('with hundreds that fees have risen above notes that at once', async () => {
    await chain.work('Bitcoin')
    await addOthers(400, { fee_rate: "'1'" })
    expect(await countStep()).toBeLessThan(200)
    expect(await env.DB.prepare('SELECT COUNT(*) AS n FROM withdrawals WHERE reason IS NOT NULL').first('n')).toBe(200)
  })

  it('leaves the record of one that cannot be ended, though others wait to be paid', async () => {
    const { id } = await ask()
    await chain.work('Bitcoin')
    await addOthers(1, { amount: "'9000000000000000'" })
    const operator = callApi((await signIn('admin')).headers)
    await operator.sendJson('POST', `/operate/withdrawal/${id}`, { act: 'refund', reason: 'a test' })
    chain.refuseNext('getrawchangeaddress', { code: -12, message: 'Keypool ran out' })
    await chain.work('Bitcoin')
    expect(await selectFailedRecords(env.DB, 'Bitcoin')).toMatchObject([{ kind: 'withdrawal', id, tries: 1 }])
  })
})

describe('the withdrawals that a step tries to sign', () => {
  const some = Array.from({ length: 100 }, (_, index) => ({ id: index.toString(16).padStart(2, '0') }))
  const ids = (now: number) => chooseTried(some, now).map(({ id }) => Number.parseInt(id, 16))

  it('are all where they are few', () => {
    expect(chooseTried(some.slice(0, 30), 0)).toEqual(some.slice(0, 30))
  })

  it('are the longest waiting, and others with each second, so that all have their turn', () => {
    const first = Array.from({ length: 15 }, (_, index) => index)
    expect(ids(0)).toEqual([...first, ...first.map((index) => 15 + index)])
    expect(ids(90_000)).toEqual([...first, ...[90, 91, 92, 93, 94, 95, 96, 97, 98, 99], ...[15, 16, 17, 18, 19]])
    const tried = new Set(Array.from({ length: 256 }, (_, second) => ids(1000 * second)).flat())
    expect(tried.size).toBe(100)
  })
})
