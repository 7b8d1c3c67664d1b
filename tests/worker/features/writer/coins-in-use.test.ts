import { env } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { SERVICE } from '../../../../devnet/premine.ts'
import { selectFailedRecords } from '../../../../worker/chain/follower/failed-records.ts'
import { stopItemsStatements } from '../../../../worker/features/items/sql/move-items.ts'
import { selectOpenTxChains } from '../../../../worker/features/transactions/sql/tx-chains.ts'
import { runSql } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import type { Api } from '../items/api.ts'
import { askPayment, mergedItem, newUser, pricedItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

const statusOf = async (api: Api, id: string) => (await showItem(api, id)).status

/** Asks the service's wallet, as its operator does. */
const wallet = (method: string, ...params: unknown[]) => chain.callWallet('Bitcoin', method, params)

/** An item that was paid for; the agent has begun to write it. */
async function begin(content?: Uint8Array<ArrayBuffer>) {
  const { api } = await newUser()
  const { id, address, amount } = await pricedItem(api, 'Bitcoin', content)
  chain.pay('Bitcoin', address, amount)
  await chain.mineAndWork('Bitcoin', 2)
  return { api, id }
}

async function stored(content?: Uint8Array<ArrayBuffer>): Promise<void> {
  const { api, id } = await begin(content)
  await chain.mineAndWork('Bitcoin', 3)
  expect(await statusOf(api, id)).toBe('200 OK')
}

const locked = () => wallet('listlockunspent')

describe('coins that tx chains go on from', () => {
  it('are locked at the node, also after its restart, and a sweep leaves them alone', async () => {
    const { api, id } = await begin()
    const [txChain] = await selectOpenTxChains(env.DB, 'Bitcoin')
    expect(txChain).toBeDefined()
    expect(locked()).toHaveLength(1)
    wallet('devrestart')
    expect(locked()).toEqual([])
    await chain.work('Bitcoin')
    expect(locked()).toHaveLength(1)
    const balance = Number(wallet('getbalance'))
    wallet('sendtoaddress', chain.call('Bitcoin', 'getnewaddress'), (balance - 60).toFixed(8))
    await chain.mineAndWork('Bitcoin', 3)
    expect(await statusOf(api, id)).toBe('200 OK')
  })

  it('stay locked while what spends them has to wait for a block, and it is not sent again before', async () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { api } = await newUser()
    const { id, address, amount } = await pricedItem(api, 'Bitcoin')
    chain.pay('Bitcoin', address, amount)
    chain.refuseNext('sendrawtransaction', { code: -26, message: 'too-long-mempool-chain' })
    await chain.mineAndWork('Bitcoin', 2)
    const [txChain] = await selectOpenTxChains(env.DB, 'Bitcoin')
    expect(locked()).toEqual([{ txid: txChain?.coin.txid, vout: txChain?.coin.vout }])
    const sent = vi.fn()
    chain.before('sendrawtransaction', sent)
    await chain.work('Bitcoin')
    expect(sent).not.toHaveBeenCalled()
    expect(locked()).toHaveLength(1)
    await chain.mineAndWork('Bitcoin', 3)
    expect(sent).toHaveBeenCalled()
    expect(await statusOf(api, id)).toBe('200 OK')
    log.mockRestore()
  })

  it('are given back when nothing is written any more; locks of others stay', async () => {
    const other = Object(wallet('listunspent'))[0]
    wallet('lockunspent', false, [{ txid: other.txid, vout: other.vout }])
    await stored()
    await chain.mineAndWork('Bitcoin', 3)
    expect(await selectOpenTxChains(env.DB, 'Bitcoin')).toEqual([])
    expect(locked()).toEqual([{ txid: other.txid, vout: other.vout }])
    wallet('lockunspent', true, [{ txid: other.txid, vout: other.vout }])
  })

  it('are looked at before a plan is made: one that was spent ends its tx chain, and the next item is written', async () => {
    const first = await begin()
    const [txChain] = await selectOpenTxChains(env.DB, 'Bitcoin')
    const { api } = await newUser()
    const { id: next, ...asked } = await pricedItem(api, 'Bitcoin')
    chain.pay('Bitcoin', asked.address, asked.amount)
    await chain.mineAndWork('Bitcoin')
    const [coin] = Object(locked())
    wallet('lockunspent', true)
    const address = chain.call('Bitcoin', 'getnewaddress')
    const { hex } = Object(wallet('gettransaction', coin.txid))
    const value = Object(wallet('decoderawtransaction', hex)).vout[coin.vout].value
    const raw = wallet('createrawtransaction', [coin], { [String(address)]: (value - 0.001).toFixed(8) })
    wallet('sendrawtransaction', Object(wallet('signrawtransactionwithwallet', raw)).hex, 0)
    // What spent it is in no block yet.
    chain.devnet.node('Bitcoin').mine(Uint8Array.of(0x51), { empty: true })
    await chain.work('Bitcoin')
    expect(await showItem(api, next)).toMatchObject({ status: '202 Accepted', written: 1 })
    expect((await selectOpenTxChains(env.DB, 'Bitcoin')).map(({ id }) => id)).not.toContain(txChain?.id)
    await chain.mineAndWork('Bitcoin', 3)
    expect(await statusOf(first.api, first.id)).toBe('200 OK')
    expect(await statusOf(api, next)).toBe('200 OK')
  })
})

describe('a tx chain that the wallet cannot sign for', () => {
  it('ends with a reason, and what was left is written with coins of the wallet of now', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const content = crypto.getRandomValues(new Uint8Array(900))
    const { api, id } = await begin(content)
    const node = chain.devnet.node('Bitcoin')
    const old = node.wallets.get(SERVICE)
    if (!old) throw new Error('no wallet')
    // The rest of the item does not fit into what is signed already.
    await runSql("UPDATE tx_chains SET script = ? WHERE state = 'open'", `0014${'ee'.repeat(20)}`)
    const fresh = await begin(crypto.getRandomValues(new Uint8Array(3_000)))
    for (let round = 0; round < 6; round++) await chain.mineAndWork('Bitcoin')
    expect(await statusOf(fresh.api, fresh.id)).toBe('200 OK')
    expect(await statusOf(api, id)).toBe('200 OK')
    expect(await selectFailedRecords(env.DB, 'Bitcoin', 'tx_chain')).not.toEqual([])
    // It is over: nobody is told of it, and nothing kept awake by it, for ever.
    chain.setAhead(3_700_000)
    await chain.work('Bitcoin')
    expect(await selectFailedRecords(env.DB, 'Bitcoin', 'tx_chain')).toEqual([])
    chain.setAhead(0)
    log.mockRestore()
  })
})

describe('bytes that are gone from the bucket', () => {
  it('stop the one item with a reason; the next goes on', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { api } = await newUser()
    const [gone, next] = [await mergedItem(api, 'Bitcoin'), await mergedItem(api, 'Bitcoin')]
    for (const id of [gone, next]) {
      const { address, amount } = await askPayment(api, [id], 'Bitcoin')
      chain.pay('Bitcoin', address, amount)
    }
    await env.BUCKET.delete(`stored/${gone}`)
    await chain.mineAndWork('Bitcoin', 2)
    expect(await showItem(api, gone)).toMatchObject({
      status: '409 Conflict',
      message: expect.stringContaining('stored bytes'),
    })
    expect(await showItem(api, next)).toMatchObject({ status: '202 Accepted', written: 1 })
    await chain.mineAndWork('Bitcoin', 3)
    expect(await statusOf(api, next)).toBe('200 OK')
    log.mockRestore()
  })

  it('when they are signed transactions that others may have, stop their items until an operator lets them be made anew', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { api, id } = await begin()
    const results = await runSql<{ txid: string; bundle: string }>(
      "SELECT txid, bundle FROM transactions WHERE item_id = ? AND state = 'sent'",
      id,
    )
    for (const { txid, bundle } of results) {
      await env.BUCKET.delete(bundle)
      chain.evict('Bitcoin', txid)
    }
    const other = await begin()
    await chain.mineAndWork('Bitcoin', 3)
    expect(await statusOf(other.api, other.id)).toBe('200 OK')
    expect(await showItem(api, id)).toMatchObject({ status: '409 Conflict', message: expect.stringContaining('Retry') })
    log.mockRestore()
  })
})

describe('what was signed and never sent', () => {
  it('is given up where its item is stopped meanwhile', async () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { api } = await newUser()
    const { id, address, amount } = await pricedItem(api, 'Bitcoin')
    chain.pay('Bitcoin', address, amount)
    chain.refuseNext('sendrawtransaction', { code: -26, message: 'too-long-mempool-chain' })
    await chain.mineAndWork('Bitcoin', 2)
    const states = async () => await runSql('SELECT state FROM transactions WHERE item_id = ?', id)
    expect(await states()).toEqual([{ state: 'signed' }])
    // As where the step had died before it was sent.
    await runSql('UPDATE transactions SET attempts = 0 WHERE item_id = ?', id)
    await env.DB.batch(stopItemsStatements(env.DB, [id], 'parked', 'It waits.', Date.now()))
    await chain.work('Bitcoin')
    expect(await states()).toEqual([{ state: 'dead' }])
    log.mockRestore()
  })
})
