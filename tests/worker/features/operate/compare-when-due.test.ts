import { env } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WalletRpc } from '../../../../worker/chain/rpc/wallet-rpc.ts'
import { compareSends, compareSendsWhenDue } from '../../../../worker/features/operate/compare-sends.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add, clear, list, read } from '../../rows.ts'

const HOUR = 3_600_000
const { DB } = env
const txid = 'a'.repeat(64)
const sent = { transactions: [{ category: 'send', amount: '-0.5', confirmations: '3', txid }] }
const said: unknown[][] = []

beforeEach(async () => {
  said.length = 0
  vi.spyOn(console, 'error').mockImplementation((...line) => void said.push(line))
  await clear('sends', 'send_scans', 'blocks', 'stops', 'payout_numbers', 'wallet_scans')
  for (const blockchain of ['Bitcoin', 'Dogecoin']) await add('blocks', { blockchain, hash: 'tip', height: 6 })
})
afterEach(() => void vi.restoreAllMocks())

/** When the wallet of each chain was compared last, of those that were at all. */
const compared = () => read('send_scans', 'blockchain', 'compared_at')

/** Compares at `now`, with nodes from whose wallets nothing was sent, but for those that are `down`. */
async function compareAt(now: number, down = 'nowhere'): Promise<void> {
  const node = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    if (request.url.includes(down)) throw new TypeError('down')
    const calls: { id: number }[] = [await request.json<{ id: number }[]>()].flat()
    return Response.json(calls.map(({ id }) => ({ id, error: null, result: { transactions: [] } })))
  })
  await compareSendsWhenDue(DB, readConfig(env), now)
  node.mockRestore()
}

describe('what left the wallets', () => {
  it('is looked for once an hour', async () => {
    for (const now of [5, HOUR + 4]) await compareAt(now)
    expect(await compared()).toEqual({ Bitcoin: 5, Dogecoin: 5 })
    await compareAt(HOUR + 5)
    expect(await compared()).toEqual({ Bitcoin: HOUR + 5, Dogecoin: HOUR + 5 })
  })

  it('is looked for at once after a restore, and once for it, on its chain; no other stop is a reason', async () => {
    await compareAt(5)
    const stop = { part: 'payouts', reason: '' }
    await add('stops', { ...stop, blockchain: 'Bitcoin', cause: 'restored', since: 7 })
    await add('stops', { ...stop, blockchain: 'Dogecoin', cause: 'hand', since: 7 })
    for (const now of [8, 9]) await compareAt(now)
    expect(await compared()).toEqual({ Bitcoin: 8, Dogecoin: 5 })
  })

  it('is looked for on each chain, also where the node of another does not answer, which is said', async () => {
    await compareAt(5, 'bitcoin')
    expect(await compared()).toEqual({ Dogecoin: 5 })
    expect(said.map(([name, chain]) => [name, chain])).toEqual([['sends_not_compared', 'Bitcoin']])
  })
})

describe('the first search of a wallet', () => {
  const rpc: WalletRpc = async () => [{ result: sent }]

  it('begins when a block is followed', async () => {
    await compareSends(DB, rpc, 'Nativecoin', 5)
    expect([await compared(), await list('sends', 'txid')]).toEqual([{}, []])
  })

  it('takes what is there for assigned, counts as a payout, and is in the audit log', async () => {
    await add('payout_numbers', { blockchain: 'Bitcoin', number: 3 })
    await compareSends(DB, rpc, 'Bitcoin', 777)
    expect([await list('sends', 'assigned'), await list('payout_numbers', 'number')]).toEqual([['foreign'], [4]])
    expect(await list("audit WHERE act = 'sends.assigned' AND at = 777", 'subject')).toEqual(['block:6'])
    expect(said).toEqual([])
  })

  it('is not made of a wallet that is not loaded, from which nothing seems to be sent', async () => {
    const blind: WalletRpc = async ([call]) =>
      call?.method === 'getwalletinfo' ? [{ error: { code: -18, message: 'not loaded' } }] : [{ result: sent }]
    await expect(compareSends(DB, blind, 'Bitcoin', 5)).rejects.toThrow('not loaded')
    expect(await compared()).toEqual({})
  })

  it('assigns nothing by itself after a restore, and says what it found', async () => {
    await add('stops', { blockchain: 'Bitcoin', part: 'payouts', cause: 'restored', reason: '', since: 1 })
    await compareSends(DB, rpc, 'Bitcoin', 5)
    expect([await list('sends', 'assigned'), await list('payout_numbers', 'number')]).toEqual([[null], []])
    expect(said).toEqual([['sends_unknown', 'Bitcoin', txid]])
  })
})

describe('a search from a block that the node does not know', () => {
  const refusing = (known: string | undefined): WalletRpc => {
    return async ([call]) => {
      if (call?.method === 'getwalletinfo') return [{ result: {} }]
      return call?.params[0] === known ? [{ result: sent }] : [{ error: { code: -5, message: 'Block not found' } }]
    }
  }
  const scan = () => add('send_scans', { blockchain: 'Bitcoin', hash: 'gone', height: 5, compared_at: 1 })

  it('begins at the oldest block that is followed', async () => {
    await scan()
    await add('blocks', { hash: 'oldest', height: 4 })
    await compareSends(DB, refusing('oldest'), 'Bitcoin', 5)
    expect([await compared(), await list('sends', 'txid')]).toEqual([{ Bitcoin: 5 }, [txid]])
  })

  it('fails where that is none of its own, or the node fails otherwise, and is made again', async () => {
    await scan()
    await expect(compareSends(DB, refusing(undefined), 'Bitcoin', 5)).rejects.toThrow('Block not found')
    const down: WalletRpc = () => Promise.reject(new Error('down'))
    await expect(compareSends(DB, down, 'Bitcoin', 5)).rejects.toThrow('down')
    expect(await compared()).toEqual({ Bitcoin: 1 })
  })
})
