import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { FAUCET } from '../../../../devnet/premine.ts'
import { connect } from '../../../kit/call-devnet.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi } from '../items/api.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

const call = (method: string, ...params: unknown[]) => chain.call('Bitcoin', method, params)

async function storedItem(): Promise<{ api: Api; id: string; txid: string }> {
  const { api } = await newUser()
  const id = await paidItem(chain, api, 'Bitcoin')
  await chain.mineAndWork('Bitcoin', 2)
  const { status, txids } = await showItem(api, id)
  expect(status).toBe('200 OK')
  return { api, id, txid: String(Object(txids)[0]) }
}

/** Takes the block of a transaction off the chain, and has another one spend what it spends. */
function spendOtherwise(txid: string): { holder: unknown } {
  const { vin, blockhash } = Object(call('getrawtransaction', txid, true))
  call('invalidateblock', blockhash)
  chain.evict('Bitcoin', txid)
  const back = String(call('getnewaddress'))
  const raw = call('createrawtransaction', [{ txid: vin[0].txid, vout: vin[0].vout }], { [back]: '1' })
  call('sendrawtransaction', Object(call('signrawtransactionwithwallet', raw)).hex, 0)
  return { holder: blockhash }
}

describe('a stored item whose transaction was spent otherwise after a reorganisation', () => {
  it('becomes 409 Conflict without txids, and is written anew by itself once that is deep', async () => {
    const { api, id, txid } = await storedItem()
    spendOtherwise(txid)
    await chain.mineAndWork('Bitcoin', 3)
    const stopped = await showItem(api, id)
    expect(stopped).toMatchObject({ status: '409 Conflict' })
    expect(stopped.txids).toBeUndefined()
    expect(stopped.message).toContain('written again automatically')

    await chain.mineAndWork('Bitcoin', 10)
    const { status, txids } = await showItem(api, id)
    expect(status).toBe('200 OK')
    expect(txids).not.toContain(txid)
  })

  it('is stored again with the same txids where the block comes back', async () => {
    const { api, id, txid } = await storedItem()
    const { holder } = spendOtherwise(txid)
    await chain.mineAndWork('Bitcoin', 2)
    expect(await showItem(api, id)).toMatchObject({ status: '409 Conflict' })

    const other = call('getbestblockhash')
    call('reconsiderblock', holder)
    call('invalidateblock', Object(call('getblockheader', other)).previousblockhash)
    await chain.mineAndWork('Bitcoin', 3)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', txids: [txid] })
  })
})

describe('a transaction that comes back into a block between its look-up and the look at its coin', () => {
  it('is not given up, though an operator has its item written anew: what spends the coin is it itself', async () => {
    const { api, id, txid } = await storedItem()
    const { holder } = spendOtherwise(txid)
    await chain.mineAndWork('Bitcoin', 2)
    expect(await showItem(api, id)).toMatchObject({ status: '409 Conflict' })
    const operator = callApi((await signIn('admin')).headers)
    expect((await operator.send('POST', `/item/${id}/retry`)).status).toBe(202)

    const { previousblockhash } = Object(call('getblockheader', call('getbestblockhash')))
    chain.mine('Bitcoin')
    chain.before('gettxout', () => {
      call('reconsiderblock', holder)
      call('invalidateblock', previousblockhash)
    })
    await chain.mineAndWork('Bitcoin', 4)
    expect(Object(call('getrawtransaction', txid, true)).blockhash).toBe(holder)
    const { results } = await env.DB.prepare('SELECT txid, state FROM transactions WHERE item_id = ?').bind(id).all()
    expect(results).toEqual([{ txid, state: expect.not.stringMatching('dead') }])
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', txids: [txid] })
  })
})

describe("an item whose coin is of the wallet's own transaction", () => {
  it.each([
    ['that one off the chain, and the mempool lost it', 0],
    ['that one and what it stands on off the chain, and the mempool lost both', 1],
  ])('is stored although a reorganisation took %s', async (_, before) => {
    const { api } = await newUser()
    const wallet = (method: string, ...params: unknown[]) => chain.callWallet('Bitcoin', method, params)
    const moved = Array.from({ length: before + 1 }, (_, index) =>
      String(wallet('sendtoaddress', wallet('getnewaddress'), String(610 - 10 * index))),
    )
    const [first = '', parent = ''] = [moved[0], moved.at(-1)]
    await chain.mineAndWork('Bitcoin')
    const holder = call('getbestblockhash')
    await chain.mineAndWork('Bitcoin', 2)
    const id = await paidItem(chain, api, 'Bitcoin')
    const { results } = await env.DB.prepare(`SELECT coin_txid FROM tx_chains WHERE state = 'open'`).all()
    expect(results).toContainEqual({ coin_txid: parent })

    call('invalidateblock', holder)
    chain.evict('Bitcoin', first)
    expect(call('getrawmempool')).not.toContain(parent)
    await chain.mineAndWork('Bitcoin', 10)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
    expect(Object(wallet('gettransaction', parent)).confirmations).toBeGreaterThan(0)
  })
})

describe("an item whose coin is of somebody else's transaction, which a reorganisation took off the chain", () => {
  const wallet = (method: string, ...params: unknown[]) => chain.callWallet('Bitcoin', method, params)
  const stranger = (method: string, ...params: unknown[]) => connect(chain.devnet, 'Bitcoin', FAUCET)(method, ...params)
  const sign = (raw: unknown) => Object(stranger('signrawtransactionwithwallet', raw)).hex

  /** Gives the wallet its largest coin, out of a transaction that only the stranger knows; both are in the block that is returned. */
  async function giveCoin(coins: number): Promise<{ source: string; holder: unknown; undo: () => void }> {
    const before = String(stranger('sendtoaddress', stranger('getnewaddress'), String(coins)))
    const { vin, vout } = Object(call('getrawtransaction', before, true))
    const at = [vout].flat().findIndex(({ value }) => Number(value) === coins)
    const paid = { [String(wallet('getnewaddress'))]: String(coins - 1) }
    const raw = stranger('createrawtransaction', [{ txid: before, vout: at }], paid)
    const source = String(call('sendrawtransaction', sign(raw), 0))
    await chain.mineAndWork('Bitcoin')
    const holder = call('getbestblockhash')
    await chain.mineAndWork('Bitcoin', 2)
    const undo = () => {
      call('invalidateblock', holder)
      chain.evict('Bitcoin', before)
      const back = { [String(stranger('getnewaddress'))]: '1' }
      call(
        'sendrawtransaction',
        sign(stranger('createrawtransaction', [{ txid: vin[0].txid, vout: vin[0].vout }], back)),
        0,
      )
    }
    return { source, holder, undo }
  }

  const coinsOfTxChains = async () =>
    (await env.DB.prepare('SELECT coin_txid FROM tx_chains').all()).results.map(({ coin_txid }) => coin_txid)
  const aside = async () => (await env.DB.prepare('SELECT id, reason FROM failed_records').all()).results

  it('says that it waits and why, and is written anew with another coin where that does not come back', async () => {
    const { source, undo } = await giveCoin(800)
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin')
    expect(await coinsOfTxChains()).toContain(source)
    undo()
    await chain.mineAndWork('Bitcoin', 5)
    const waiting = await showItem(api, id)
    expect(waiting).toMatchObject({ status: '202 Accepted' })
    expect(waiting.message).toMatch(
      /does not take it again \(.*missingorspent\)\. It is written again automatically after \d more/,
    )
    expect(await aside()).toEqual([{ id, reason: expect.stringContaining('does not take it again') }])
    await chain.mineAndWork('Bitcoin', 8)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
    expect(await aside()).toEqual([])
  })

  it('becomes 409 Conflict where it was stored, and is stored again', async () => {
    const { source, undo } = await giveCoin(900)
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin')
    expect(await coinsOfTxChains()).toContain(source)
    await chain.mineAndWork('Bitcoin', 2)
    const { txids } = await showItem(api, id)
    undo()
    await chain.mineAndWork('Bitcoin', 5)
    const stopped = await showItem(api, id)
    expect(stopped).toMatchObject({
      status: '409 Conflict',
      message: expect.stringContaining('written again automatically'),
    })
    await chain.mineAndWork('Bitcoin', 10)
    const again = await showItem(api, id)
    expect(again).toMatchObject({ status: '200 OK' })
    expect(again.txids).not.toEqual(txids)
    expect(await aside()).toEqual([])
  })

  it('says no more that it waits when the other transaction is back', async () => {
    const { source, holder, undo } = await giveCoin(1000)
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin')
    expect(await coinsOfTxChains()).toContain(source)
    undo()
    await chain.mineAndWork('Bitcoin', 5)
    expect((await showItem(api, id)).message).toContain('does not take it again')
    const fork = call('getblockhash', Number(Object(call('getblockheader', holder)).height))
    call('reconsiderblock', holder)
    call('invalidateblock', fork)
    await chain.mineAndWork('Bitcoin', 3)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
    expect(await aside()).toEqual([])
  })
})
