import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { WITHDRAWALS_WAIT } from '../../../../worker/features/payouts/pay/send-withdrawals.ts'
import { watchProgress } from '../../../../worker/features/writer/follow/watch-progress.ts'
import { contextOf } from '../../agent-contexts.ts'
import { add, clear, list } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi, noise } from '../items/api.ts'
import { newUser, paidItem, readAnswer, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

beforeEach(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})

const incidentsOf = async (operator: Api) => {
  const { chains } = await readAnswer(await operator.send('GET', '/operate/health'))
  return JSON.parse(JSON.stringify(chains)).Bitcoin.incidents
}
const told = async () => {
  const mails = await env.DB.prepare("SELECT COUNT(*) AS n FROM mails WHERE template = 'incident'").first<number>('n')
  const events = await env.DB.prepare("SELECT COUNT(*) AS n FROM events WHERE type = 'chain.not_moved'").first<number>(
    'n',
  )
  return { mails, events }
}

describe('a block', () => {
  const tip = { height: 100, hash: 'h' }
  const watch = async (height: number) => {
    await clear('blocks')
    await add('blocks', { ...tip, height })
    await watchProgress(contextOf(), { ...tip, height })
  }
  const incidents = () => list('incidents', 'reason')
  const WRITES = ['writes', 'payment_requests', 'items']
  const TABLES = ['progress', 'incidents', 'withdrawals', 'outputs', 'addresses', 'blocks']

  it('tells of withdrawals that do not move, whatever holds them but an operator', async () => {
    await clear(...TABLES)
    const states = ['waiting', 'sent', 'failed', 'held', 'confirmed', 'refunded']
    await add('withdrawals', ...states.map((id) => ({ id, state: id })))
    await watch(100)
    await env.DB.prepare("UPDATE withdrawals SET state = 'confirmed' WHERE id = 'sent'").run()
    await env.DB.prepare("UPDATE withdrawals SET state = 'failed' WHERE id = 'waiting'").run()
    await watch(136)
    expect(await incidents()).toEqual(['not moved for 36 blocks: 1 withdrawal (failed)'])
    await watch(172)
    expect(await incidents()).toEqual(['not moved for 36 blocks: 2 withdrawals (failed)'])
    await clear('withdrawals')
    await watch(173)
    expect(await incidents()).toEqual([])
  })

  it('tells of each item and each index that does not move by itself, while others do', async () => {
    await clear(...TABLES, ...WRITES)
    await add('payment_requests', { id: 'request', state: 'settled' })
    await add('items', { id: 'moves' }, { id: 'stays' })
    await add('writes', { item_id: 'moves' }, { item_id: 'stays' }, { item_id: 'moves.index', index_of: 'moves' })
    await watch(100)
    await env.DB.prepare("UPDATE items SET written = written + 1 WHERE id = 'moves'").run()
    await watch(120)
    await watch(136)
    expect(await incidents()).toEqual(['not moved for 36 blocks: 1 paid item (stays)'])
    await clear(...TABLES, ...WRITES)
  })

  it('ends what is said of withdrawals that wait for tx chains when none waits any more', async () => {
    await clear(...TABLES)
    await add('withdrawals', { id: 'waits' })
    await add('incidents', { blockchain: 'Bitcoin', since: 0, code: 'tx_chains_full', reason: WITHDRAWALS_WAIT })
    await watch(100)
    expect(await incidents()).toEqual([WITHDRAWALS_WAIT])
    await clear('withdrawals')
    await watch(101)
    expect(await incidents()).toEqual([])
  })

  it('tells of deposits that are deep enough and not credited, and of no other', async () => {
    await clear(...TABLES)
    await add('addresses', { address: 'a' }, { address: 'r', kind: 'request' })
    const txid = (letter: string) => letter.repeat(64)
    const mined = { address: 'a', block_hash: 'h', block_height: 98 }
    await add(
      'outputs',
      { ...mined, txid: txid('a') },
      { ...mined, txid: txid('b'), credited: 1 },
      { ...mined, txid: txid('c'), coinbase: 1 },
      { ...mined, txid: txid('d'), address: 'r' },
      { ...mined, txid: txid('e'), dropped: 1 },
      { ...mined, txid: txid('f'), below: 5 },
      { ...mined, txid: txid('0'), block_height: 135 },
    )
    await watch(100)
    await watch(136)
    expect(await incidents()).toEqual([`not moved for 36 blocks: 1 deposit (${txid('a')}:0)`])
    await env.DB.prepare('UPDATE outputs SET credited = 1').run()
    await watch(137)
    expect(await incidents()).toEqual([])
    await clear(...TABLES)
  })
})

describe('what is paid and does not move', () => {
  it('is told to operators once after 36 blocks, stays in health, and is over when it moves', async () => {
    const operator = callApi((await signIn('admin')).headers)
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin', noise(70))
    chain.call('Bitcoin', 'devsetoption', ['blockmintxfee', '0.01'])
    await chain.mineAndWork('Bitcoin', 35)
    expect(await told()).toEqual({ mails: 0, events: 0 })
    expect(await incidentsOf(operator)).toEqual([])
    await chain.mineAndWork('Bitcoin', 3)
    expect(await told()).toEqual({ mails: 1, events: 1 })
    expect(await incidentsOf(operator)).toMatchObject([
      { code: 'not_moved', reason: expect.stringContaining(`: 1 paid item (${id}), 1 chain of transactions (`) },
    ])
    await chain.mineAndWork('Bitcoin', 5)
    expect(await told()).toMatchObject({ mails: 1 })
    chain.call('Bitcoin', 'devsetoption', ['blockmintxfee', '0.00001'])
    await chain.mineAndWork('Bitcoin', 4)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
    expect(await incidentsOf(operator)).toEqual([])
    expect(await env.DB.prepare('SELECT COUNT(*) AS n FROM progress').first('n')).toBe(0)
  })
})
