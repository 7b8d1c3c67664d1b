import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { operateHealth } from '../../../../worker/features/operate/operate-health.ts'
import { add, clear } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

useDevnet()
beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await clear('stops', 'reconciliations', 'withdrawals', 'mails', 'writes')
})

const NOW = Date.UTC(2027, 0, 1)
const health = async (settings: object = {}) => JSON.parse(await operateHealth({ ...env, ...settings }, NOW))
const bitcoin = async (settings: object = {}) => (await health(settings)).chains.Bitcoin

describe('what an operator is told', () => {
  it('is that a wallet holds more than its limit, or less than new withdrawals need, and not what is between', async () => {
    const [most, least] = ['WALLET_MOST_BITCOIN', 'WALLET_LEAST_BITCOIN']
    const { reason: usual } = await bitcoin()
    const above = await bitcoin({ [most]: '0.1' })
    expect(above).toMatchObject({ reason: expect.stringContaining('above its limit of 0.1') })
    expect(above.remedy).toContain('/v0/operate/sweep')
    expect((await bitcoin({ [least]: '20000000' })).reason).toContain('new withdrawals wait')
    expect((await bitcoin({ [most]: '20000000', [least]: '0.1' })).reason).toBe(usual)
  })

  it('is what is stopped, before what its wallet lacks, and that more is promised than is free', async () => {
    await add('withdrawals', { id: 'a', amount: '2000000000000000' })
    expect((await bitcoin()).reason).toContain('20000000.00000001 are promised')
    await add('stops', { blockchain: 'Bitcoin', part: 'writing', cause: 'hand', reason: 'a test', since: 5_000 })
    expect(await bitcoin()).toMatchObject({
      ...{ reason: 'writing is stopped: a test', stops: [{ part: 'writing', cause: 'hand', since: 5 }] },
    })
  })

  it('is that a node does not answer, and that no coins are free then', async () => {
    const down = await bitcoin({ RPC_BITCOIN: 'http://nobody.test/' })
    expect(down).toMatchObject({ payment: 'down', free: 0, setAside: 0, reason: expect.any(String) })
  })

  it('is in how many minutes an item is usually stored: twice what its confirmations take, and at least one', async () => {
    const minutes = async (blockSeconds: string, confirmations: string) => {
      const settings = { BLOCK_SECONDS_BITCOIN: blockSeconds, CONFIRMATIONS_BITCOIN: confirmations }
      return (await bitcoin(settings)).usualMinutes
    }
    expect([await minutes('600', '6'), await minutes('1', '1')]).toEqual([120, 1])
  })

  it('is since when the oldest item that is paid waits, and how many mails do', async () => {
    await add('payment_requests', { id: 'request', state: 'settled' })
    await add('writes', { item_id: 'a', created_at: NOW - 7_900 }, { item_id: 'b', created_at: NOW - 1_000 })
    await add('mails', { id: 'm' })
    expect(await health()).toMatchObject({
      ...{ mail: { waiting: 1 }, chains: { Bitcoin: { waiting: 2, oldestUnwritten: 7 } } },
    })
  })

  it('is whether the books agreed the last time, on all chains, and when the oldest of these was', async () => {
    expect(await health()).toMatchObject({ agrees: null, reconciledAt: null })
    const books = { ledger: '5', wallet: '5', chain: '5', owed: '0', held: '9', unassigned: '0' }
    await add('reconciliations', { ...books, blockchain: 'Bitcoin', read_at: 9_000 })
    expect(await health()).toMatchObject({ agrees: true, reconciledAt: 9 })
    await add('reconciliations', { ...books, blockchain: 'Dogecoin', read_at: 7_000, unassigned: '1' })
    expect(await health()).toMatchObject({ agrees: false, reconciledAt: 7 })
  })

  it('is how many gateways answer; what they say of a block that each has is no matter below 500', async () => {
    const node = globalThis.fetch
    const answers: Record<string, number> = { 'gateway-a.test': 404, 'gateway-b.test': 502, 'gateway-c.test': 499 }
    vi.stubGlobal('fetch', async (...[input, init]: Parameters<typeof fetch>) => {
      const status = answers[new URL(new Request(input, init).url).hostname]
      return status === undefined ? await node(input, init) : new Response('', { status })
    })
    expect((await health()).gateways).toEqual({ up: 2, of: 3 })
    vi.unstubAllGlobals()
  })
})
