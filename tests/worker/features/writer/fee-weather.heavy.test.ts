import { env } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PRESENT_NODES } from '../../../../devnet/node-settings.ts'
import { type Blockchain, CHAINS } from '../../../../protocol/chains.ts'
import { selectFailedRecords } from '../../../../worker/chain/follower/failed-records.ts'
import { BEING_WRITTEN } from '../../../../worker/features/items/sql/move-items.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, noise } from '../items/api.ts'
import { askPayment, mergedItem, newUser, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
const quiet = vi.spyOn(console, 'warn').mockImplementation(() => {})
afterEach(() => {
  for (const blockchain of ['Bitcoin', 'Dogecoin', 'Nativecoin'] as const) chain.callWallet(blockchain, 'devsetfeerate')
  chain.call('Dogecoin', 'devsetoption', ['minrelaytxfee', '0.001'])
  quiet.mockClear()
})

async function mineAndWork(blockchain: Blockchain, blocks: number, empty = false): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    if (empty) chain.devnet.node(blockchain).mine(Uint8Array.of(0x51), { empty: true })
    else chain.mine(blockchain)
    await chain.work(blockchain)
  }
}

async function paid(api: Api, blockchain: Blockchain, content = noise(300)): Promise<string> {
  const id = await mergedItem(api, blockchain, content)
  const { address, amount, confirmations } = await askPayment(api, [id], blockchain)
  chain.pay(blockchain, address, amount)
  chain.mine(blockchain, Number(confirmations))
  return id
}

const bumps = async (blockchain: Blockchain) =>
  (
    await env.DB.prepare(
      'SELECT state, fee, vsize FROM transactions WHERE blockchain = ? AND item_id IS NULL ORDER BY rowid',
    )
      .bind(blockchain)
      .all<{ state: string; fee: string; vsize: number }>()
  ).results

describe('when fees rise', () => {
  it('an item whose price was made far below them waits, says so, and is written when they fall', async () => {
    const { api } = await newUser()
    const id = await paid(api, 'Bitcoin')
    chain.callWallet('Bitcoin', 'devsetfeerate', [0.01])
    await chain.work('Bitcoin')
    await mineAndWork('Bitcoin', 2)
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted', written: 0, message: /fees are far above/ })
    chain.callWallet('Bitcoin', 'devsetfeerate')
    await chain.work('Bitcoin')
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted', message: BEING_WRITTEN })
    await mineAndWork('Bitcoin', 4)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
  })

  it('a tx chain is bumped above what the node lets a careless caller pay, and again when that is not enough', async () => {
    const { api } = await newUser()
    const id = await paid(api, 'Nativecoin', noise(300_000))
    await env.DB.prepare('UPDATE payment_requests SET fee_rate = 1000000000').run()
    await chain.work('Nativecoin')
    chain.callWallet('Nativecoin', 'devsetfeerate', [0.002])
    await mineAndWork('Nativecoin', 6, true)
    const [first, ...none] = await bumps('Nativecoin')
    expect([first?.state, none]).toEqual(['sent', []])
    // The node's own limit is 0.1 coins for 1,000 vbytes.
    expect(Number(first?.fee) / Number(first?.vsize)).toBeGreaterThan(10_000)
    chain.callWallet('Nativecoin', 'devsetfeerate', [0.004])
    await mineAndWork('Nativecoin', 6, true)
    const [replaced, second] = await bumps('Nativecoin')
    expect([replaced?.state, second?.state]).toEqual(['dead', 'sent'])
    expect(Number(second?.fee)).toBeGreaterThan(Number(first?.fee) * 1.5)
    chain.callWallet('Nativecoin', 'devsetfeerate')
    await mineAndWork('Nativecoin', 4)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
  })
})

it('a tx chain of an item that is stopped is bumped no further than up to its ceiling', async () => {
  const { api } = await newUser()
  const id = await paid(api, 'Bitcoin')
  await chain.work('Bitcoin')
  await env.DB.prepare("UPDATE writes SET state = 'parked' WHERE item_id = ?").bind(id).run()
  chain.callWallet('Bitcoin', 'devsetfeerate', [0.01])
  const before = (await bumps('Bitcoin')).length
  await mineAndWork('Bitcoin', 7, true)
  expect((await bumps('Bitcoin')).length).toBeGreaterThan(before)
  const txChain = await env.DB.prepare(
    `SELECT SUM(CAST(fee AS INTEGER)) AS fee, SUM(vsize) AS vsize FROM transactions WHERE state != 'dead' AND tx_chain = (
       SELECT tx_chain FROM transactions WHERE item_id = ? LIMIT 1) AND blockchain = 'Bitcoin'`,
  )
    .bind(id)
    .first<{ fee: number; vsize: number }>()
  const quote = await env.DB.prepare(
    'SELECT fee_rate FROM payment_requests JOIN writes ON request_id = id WHERE item_id = ?',
  )
    .bind(id)
    .first<{ fee_rate: string }>()
  const ceiling = (2 * Number(quote?.fee_rate)) / 1_000
  expect(Number(txChain?.fee) / Number(txChain?.vsize)).toBeLessThanOrEqual(ceiling + 1)
})

describe('a node whose operator raised its floor', () => {
  it('is paid what getnetworkinfo says, on the 1.14 family too', async () => {
    const { api } = await newUser()
    const id = await paid(api, 'Dogecoin', noise(60))
    chain.call('Dogecoin', 'devsetoption', ['minrelaytxfee', '0.015'])
    await chain.work('Dogecoin')
    await mineAndWork('Dogecoin', 7)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
    expect(chain.refusals).toEqual([])
  })

  it('and names no floor that it holds to is not asked at every step; the item says what the node said', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { api } = await newUser()
    const id = await paid(api, 'Dogecoin', noise(60))
    chain.devnet.node('Dogecoin').reconfigure({ relayFeeRate: 10n * CHAINS.Dogecoin.fallbackFeeRate })
    chain.hideFloor(true)
    for (let step = 0; step < 12; step++) await chain.work('Dogecoin')
    expect(chain.refusals.length).toBeLessThan(3)
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted', message: /insufficient priority/ })
    expect(await selectFailedRecords(env.DB, 'Dogecoin')).toMatchObject([{ kind: 'refused', id }])
    chain.hideFloor(false)
    chain.setAhead(600_000)
    chain.devnet.node('Dogecoin').reconfigure({ relayFeeRate: CHAINS.Dogecoin.relayFeeRate })
    await mineAndWork('Dogecoin', 8)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
    log.mockRestore()
  })
})

it('writes 1.5 MB on a node of today whose block holds four million weight units', async () => {
  chain.devnet.node('Nativecoin').reconfigure({ ...PRESENT_NODES.Nativecoin, maxBlockWeight: 4_000_000 })
  const { api } = await newUser()
  const id = await paid(api, 'Nativecoin', noise(1_500_000))
  await mineAndWork('Nativecoin', 30)
  expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
  const { results } = await env.DB.prepare(
    `SELECT SUM(length) AS bytes FROM transactions WHERE blockchain = 'Nativecoin' AND bundle != '' GROUP BY bundle`,
  ).all<{ bytes: number }>()
  // Half a megabyte of data, and what transactions need beside it.
  expect(Math.max(...results.map(({ bytes }) => bytes))).toBeLessThan(530_000)
})
