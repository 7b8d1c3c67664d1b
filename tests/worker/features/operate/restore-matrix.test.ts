import { env, runInDurableObject } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { SERVICE } from '../../../../devnet/premine.ts'
import { fetchApi } from '../../fetch-api.ts'
import { runSql } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { newCustomer } from '../payments/customer.ts'
import { readAnswer } from '../payments/pay-for-items.ts'
import { refuseRecords } from '../payouts/refuse-records.ts'
import { keepMoney } from './keep-money.ts'

const chain = useDevnet({ sends: 'unknown' })
let operator: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  operator = await signIn('admin')
  // What earlier tests have left.
  await runSql('UPDATE wallet_scans SET search_due = 0, searched_at = 0')
  await chain.work('Bitcoin')
  await runSql("UPDATE withdrawals SET state = 'refunded', ending = NULL WHERE state IN ('waiting', 'held', 'failed')")
  await runSql("UPDATE sends SET assigned = 'foreign' WHERE assigned IS NULL")
  const body = { payouts: false, writing: false, reason: 'what earlier tests have left' }
  await fetchApi('PUT', '/v0/operate/stop/Bitcoin', { token: operator.token, body })
  await runSql('DELETE FROM stops')
})

const received = (address: unknown) => Number(chain.call('Bitcoin', 'getreceivedbyaddress', [address, 0]))
const agent = () => env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName('Bitcoin'))

/** What a part of the service is at this moment; returns what takes it back. */
type Copy = () => Promise<() => void | Promise<void>>

const copyBucket: Copy = async () => {
  const names = async () => (await env.BUCKET.list()).objects.map(({ key }) => key)
  const kept = new Map<string, ArrayBuffer>()
  for (const key of await names()) {
    const object = await env.BUCKET.get(key)
    if (object) kept.set(key, await object.arrayBuffer())
  }
  return async () => {
    await env.BUCKET.delete(await names())
    for (const [key, bytes] of kept) await env.BUCKET.put(key, bytes)
  }
}

const copyStorage: Copy = async () => {
  const kept = await runInDurableObject(agent(), async (_, { storage }) => await storage.list())
  return async () =>
    await runInDurableObject(agent(), async (_, { storage }) => {
      await storage.delete([...(await storage.list()).keys()])
      for (const [key, value] of kept) await storage.put(key, value)
    })
}

/** The wallet of a backup, which looks through the blocks since when it is loaded. */
const copyWallet: Copy = async () => {
  const node = chain.devnet.node('Bitcoin')
  const wallet = node.wallets.get(SERVICE)
  if (!wallet) throw new Error('no wallet')
  const { height } = node.chain
  const restore = wallet.backUp()
  return () => {
    restore()
    node.rescan(wallet, height)
  }
}

const PARTS: [string, Copy[]][] = [
  ['the database', [() => keepMoney()]],
  ['database and bucket', [() => keepMoney(), copyBucket]],
  ['database, bucket and objects', [() => keepMoney(), copyBucket, copyStorage]],
  ['all of them and the wallet', [() => keepMoney(), copyBucket, copyStorage, copyWallet]],
]

/** A withdrawal of a tenth of a coin. */
async function account() {
  const customer = await newCustomer(chain)
  const { id, to } = await customer.withdraw('0.1')
  const decide = async (act: string) =>
    await readAnswer(
      await fetchApi('POST', `/v0/operate/withdrawal/${id}`, {
        ...{ token: operator.token, body: { act, reason: 'a test' } },
      }),
    )
  return { ...customer, id, to, decide, state: async () => (await customer.withdrawal(id))?.state }
}

async function copyAll(copies: readonly Copy[]): Promise<() => Promise<void>> {
  const restores: (() => void | Promise<void>)[] = []
  for (const copy of copies) restores.push(await copy())
  return async () => {
    for (const restore of restores) await restore()
  }
}

/** Blocks, with steps, in which a restored service may do what it would. */
async function goOn(): Promise<void> {
  for (let step = 0; step < 3; step++) {
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
  }
}

const stops = async () => (await runSql("SELECT cause FROM stops WHERE part = 'payouts'")).map(({ cause }) => cause)

describe.each(PARTS)('where %s are as they were before', (_, copies) => {
  it('a withdrawal that waited, and was paid since, is not paid again, and payouts stop', async () => {
    const { to } = await account()
    const restore = await copyAll(copies)
    await chain.work('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(received(to)).toBe(0.1)
    await restore()
    await goOn()
    expect([received(to), await stops()]).toEqual([0.1, expect.arrayContaining(['sends'])])
  })

  it('one that was signed, and sent since, is sent once', async () => {
    const { to } = await account()
    const takeRecords = refuseRecords()
    await chain.work('Bitcoin')
    const restore = await copyAll(copies)
    takeRecords()
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(received(to)).toBe(0.1)
    await restore()
    await goOn()
    expect(received(to)).toBe(0.1)
  })

  it('one that was sent, and mined since, is confirmed', async () => {
    const { to, state } = await account()
    await chain.work('Bitcoin')
    const restore = await copyAll(copies)
    await chain.confirm('Bitcoin', 2)
    await restore()
    await goOn()
    expect([received(to), await state()]).toEqual([0.1, 'confirmed'])
  })
})

// What only the wallet tells is lost with it: docs/operate/recovery.md says so.
describe.each(PARTS.slice(0, 3))('where %s are as they were before, and the wallet is not', (name, copies) => {
  it('one that was paid elsewhere since is not paid', async () => {
    const { to, decide, state } = await account()
    const restore = await copyAll(copies)
    expect(await decide('paid_elsewhere')).toMatchObject({ state: 'paid_elsewhere' })
    await restore()
    await goOn()
    expect(received(to)).toBe(0)
    // Where the storage of the agent is of now, payouts stop before anything is asked of the wallet.
    const left = { 'the database': 'paid_elsewhere', 'database and bucket': 'waiting' }[name] ?? 'held'
    expect(await state()).toBe(left)
    expect((await stops()).length).toBeGreaterThan(0)
  })

  it('one that its owner cancelled since is not paid', async () => {
    const { to, id, api } = await account()
    const restore = await copyAll(copies)
    expect((await api.send('DELETE', `/withdrawal/${id}`)).status).toBe(200)
    await restore()
    await goOn()
    expect(received(to)).toBe(0)
  })
})

describe('a withdrawal that is held, for the wallet has a label of it that the database does not explain', () => {
  async function restoredAfter(end: 'paid_elsewhere' | 'refund') {
    const made = await account()
    const restore = await copyAll([() => keepMoney(), copyBucket, copyStorage])
    await made.decide(end)
    await restore()
    await chain.work('Bitcoin')
    expect(await made.state()).toBe('held')
    return made
  }
  const letGo = async () =>
    await readAnswer(
      await fetchApi('PUT', '/v0/operate/stop/Bitcoin', {
        ...{ token: operator.token, body: { payouts: false, writing: false, reason: 'a test' } },
      }),
    )

  it('is sent once where an operator approves it, and payouts go on', async () => {
    const { to, decide, state } = await restoredAfter('refund')
    expect(await decide('approve')).toMatchObject({ status: 200 })
    expect(await letGo()).toMatchObject({ status: 200, stops: [] })
    await goOn()
    expect([received(to), await state()]).toEqual([0.1, 'confirmed'])
  })

  it('ends where an operator says so again, and its owner cannot cancel it', async () => {
    const { to, id, api, decide, state } = await restoredAfter('paid_elsewhere')
    expect(await readAnswer(await api.send('DELETE', `/withdrawal/${id}`))).toMatchObject({ code: 'payouts_stopped' })
    expect(await decide('paid_elsewhere')).toMatchObject({ status: 200 })
    expect(await letGo()).toMatchObject({ status: 200, stops: [] })
    await goOn()
    expect([received(to), await state()]).toEqual([0, 'paid_elsewhere'])
  })
})
