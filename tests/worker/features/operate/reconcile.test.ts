import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { reconcileWhenDue } from '../../../../worker/features/operate/reconcile.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { noted } from '../../noted-calls.ts'
import { add, clear, list, read } from '../../rows.ts'

const DAY = 86_400_000
const MINUTES = 60_000
const NIGHT = 100 * DAY + 3 * 60 * MINUTES
const said: string[] = []

beforeEach(async () => {
  said.length = 0
  for (const name of ['info', 'error'] as const)
    vi.spyOn(console, name).mockImplementation((...line) => void said.push(`${line[0]} ${line[1]}`))
  await clear('reconciliations', 'stops', 'outputs', 'addresses', 'ledger', 'blocks', 'sends')
  await env.DB.prepare('UPDATE reconciliation_asks SET asked_at = 0, begun_at = 0').run()
  await add('addresses', { address: 'ours', kind: 'deposit' })
  await add('outputs', { txid: 'a', address: 'ours', amount: '5', block_height: 6, credited: 1 })
  await add('ledger', { seq: 1, amount: '5', balance: '5', cause: 'output:a' })
  for (const blockchain of ['Bitcoin', 'Nativecoin', 'Dogecoin'])
    await add('blocks', { blockchain, hash: 'tip', height: 6 })
})
afterEach(() => void vi.restoreAllMocks())

/**
 * Compares at `now`, where Bitcoin's wallet received so many units at `ours`, beside what was never an address of a customer; other
 * wallets received nothing. How often the wallet of Bitcoin was read.
 */
async function compareAt(
  now: number,
  { units = 5, best = (): string => 'tip', down = /nowhere/, db = env.DB } = {},
): Promise<number> {
  let reads = 0
  const amounts = [
    ['ours', units],
    ['not ours', 9],
  ] as const
  const transactions = amounts.map(([address, amount]) => ({
    ...{ category: 'receive', address, amount: (amount / 1e8).toFixed(8), confirmations: 3, txid: 'a' },
  }))
  const node = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    if (down.test(request.url)) throw new TypeError('down')
    const isBitcoin = request.url.includes('bitcoin')
    const calls: { id: number; method: string }[] = [await request.json<{ id: number; method: string }[]>()].flat()
    return Response.json(
      calls.map(({ id, method }) => {
        if (method === 'listsinceblock' && isBitcoin) reads++
        const info = { blocks: 6, headers: 6, bestblockhash: isBitcoin ? best() : 'tip', initialblockdownload: false }
        const results: Record<string, unknown> = {
          ...{ getblockchaininfo: info, getbalance: 0.1, getwalletinfo: {} },
          listsinceblock: { transactions: isBitcoin ? transactions : [] },
        }
        return { id, error: null, result: results[method] ?? {} }
      }),
    )
  })
  await reconcileWhenDue(db, readConfig(env), now)
  node.mockRestore()
  return reads
}
const differs = async () => (await read('reconciliations', 'blockchain', 'differs_since')).Bitcoin

describe('the comparison of the books', () => {
  it('is made once a night, looks once where they agree, and counts what customers paid alone', async () => {
    expect([await compareAt(NIGHT), await compareAt(NIGHT + DAY - 1), await compareAt(NIGHT + DAY)]).toEqual([1, 0, 1])
    expect(
      await list("reconciliations WHERE blockchain = 'Bitcoin'", "ledger || wallet || chain || ' ' || owed"),
    ).toEqual(['555 5'])
    expect([await differs(), said.filter((line) => line.includes('differs'))]).toEqual([null, []])
  })

  it('looks three times before it says that they differ, and again ten minutes later, and stops payouts then', async () => {
    expect([await compareAt(NIGHT, { units: 6 }), await differs()]).toEqual([3, NIGHT])
    expect(said).toContain('reconciliation_differs Bitcoin')
    expect(await compareAt(NIGHT + 10 * MINUTES, { units: 6 })).toBe(0)
    expect(await list('stops', 'cause')).toEqual([])
    const { context, calls } = noted()
    expect(await compareAt(NIGHT + 10 * MINUTES + 1, { units: 6, db: context.db })).toBe(3)
    expect(calls.filter((call) => call.includes('INTO stops'))).toHaveLength(1)
    expect([await differs(), await list('stops', "blockchain || ' ' || cause")]).toEqual([
      NIGHT,
      ['Bitcoin difference'],
    ])
    // It is not made every ten minutes while they are stopped for it.
    expect(await compareAt(NIGHT + 20 * MINUTES, { units: 6 })).toBe(0)
  })

  it('forgets a difference that is gone, and takes none for one while blocks come', async () => {
    let blocks = 0
    const moving = () => `block ${++blocks}`
    expect([await compareAt(NIGHT, { units: 6, best: moving }), await differs()]).toEqual([3, null])
    await compareAt(NIGHT + DAY, { units: 6 })
    await compareAt(NIGHT + DAY + 10 * MINUTES + 1)
    expect([await differs(), await list('stops', 'cause')]).toEqual([null, []])
  })

  it('keeps since when they differ though blocks come while they are compared again', async () => {
    let blocks = 0
    const moving = () => `block ${++blocks}`
    await compareAt(NIGHT, { units: 6 })
    expect([await compareAt(NIGHT + 10 * MINUTES + 1, { units: 6, best: moving }), await differs()]).toEqual([3, NIGHT])
    expect(await list('stops', 'cause')).toEqual(['difference'])
  })

  it.each<[string, RegExp, string[]]>([
    ['one', /bitcoin/, ['Dogecoin', 'Nativecoin']],
    ['two', /bitcoin|dogecoin/, ['Nativecoin']],
  ])('is made of the other chains where the node of %s does not answer, which is said', async (_, down, compared) => {
    await compareAt(NIGHT, { down })
    expect(Object.keys(await read('reconciliations', 'blockchain', 'held'))).toEqual(compared)
    expect(said).toContain('reconciliation_failed Bitcoin')
  })

  it('says where a wallet holds less than accounts are owed', async () => {
    await compareAt(NIGHT)
    expect(said.some((line) => line.startsWith('wallet_below_balances'))).toBe(false)
    await add('ledger', { seq: 2, amount: '90000000', balance: '90000005', cause: 'manual:a' })
    await compareAt(NIGHT + DAY)
    expect(said).toContain('wallet_below_balances Bitcoin')
  })
})
