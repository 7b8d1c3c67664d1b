import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { runStep } from '../../../../worker/agent/run-step.ts'
import type { AgentContext } from '../../../../worker/chain/follower/agent-context.ts'
import { NodeError } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { contextOf } from '../../agent-contexts.ts'
import { read } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi, noise } from '../items/api.ts'
import { askPayment, mergedItem, newUser, paidItem, readAnswer, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

const bestBlock = () => chain.call('Bitcoin', 'getbestblockhash')

async function statusOf(api: Api, id: string): Promise<unknown> {
  return (await showItem(api, id)).status
}

/** An item that is being written: `holder` is the block that holds its payment `txid`. */
async function startWriting(): Promise<{ api: Api; id: string; txid: string; holder: unknown }> {
  const { api } = await newUser()
  const id = await mergedItem(api, 'Bitcoin')
  const { address, amount } = await askPayment(api, [id], 'Bitcoin')
  const txid = chain.pay('Bitcoin', address, amount)
  chain.mine('Bitcoin')
  const holder = bestBlock()
  await chain.confirm('Bitcoin')
  return { api, id, txid, holder }
}

describe('an item whose payment a reorganisation took away', () => {
  it('stops with the reason, and goes on by itself when the payment is mined again', async () => {
    const { api, id, txid, holder } = await startWriting()
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted', written: 1 })

    const payment = chain.call('Bitcoin', 'getrawtransaction', [txid])
    chain.call('Bitcoin', 'invalidateblock', [holder])
    chain.evict('Bitcoin', txid)
    await chain.confirm('Bitcoin', 3)
    const stopped = await showItem(api, id)
    expect(stopped).toMatchObject({ status: '409 Conflict' })
    expect(stopped.message).toContain('reorganisation')

    chain.call('Bitcoin', 'sendrawtransaction', [payment])
    await chain.confirm('Bitcoin')
    await chain.confirm('Bitcoin', 2)
    expect(await statusOf(api, id)).toBe('200 OK')
  })

  it('is not written a second time where a node may have its transaction, whose first reply was lost', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin')
    const { address, amount } = await askPayment(api, [id], 'Bitcoin')
    chain.pay('Bitcoin', address, amount)
    chain.mine('Bitcoin')
    const holder = bestBlock()
    chain.mine('Bitcoin')
    const honest = contextOf()
    const rpc: AgentContext['rpc'] = async (calls, options) => {
      const outcomes = await honest.rpc(calls, options)
      if (calls[0]?.method === 'sendrawtransaction') throw new NodeError('timeout', 'The reply was lost.')
      return outcomes
    }
    await expect(runStep({ ...honest, rpc, numbers: chain.numbersOf('Bitcoin') })).rejects.toThrow('lost')
    const sent = await env.DB.prepare('SELECT txid FROM transactions WHERE item_id = ?').bind(id).first('txid')
    chain.call('Bitcoin', 'invalidateblock', [holder])
    await chain.passBy('Bitcoin', 3)
    expect(await statusOf(api, id)).toBe('409 Conflict')
    await chain.mineAndWork('Bitcoin', 4)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', txids: [sent] })
  })

  it('stays stopped in the step that would resume it after a double spend', async () => {
    const { id, txid, holder } = await startWriting()
    await env.DB.batch([
      env.DB.prepare("UPDATE writes SET state = 'parked', replan = 1 WHERE item_id = ?").bind(id),
      env.DB.prepare('UPDATE items SET status = 409 WHERE id = ?').bind(id),
    ])
    chain.call('Bitcoin', 'invalidateblock', [holder])
    chain.evict('Bitcoin', txid)
    chain.mine('Bitcoin', 3)
    await runStep({ ...contextOf(), numbers: chain.numbersOf('Bitcoin') })
    expect(await read('writes', 'item_id', 'state')).toMatchObject({ [id]: 'paused' })
  })

  it('is sent on its way by an operator who does not want to wait', async () => {
    const { api, id, txid, holder } = await startWriting()
    chain.call('Bitcoin', 'invalidateblock', [holder])
    chain.evict('Bitcoin', txid)
    await chain.confirm('Bitcoin', 3)
    expect(await statusOf(api, id)).toBe('409 Conflict')
    const operator = callApi((await signIn('admin')).headers)
    expect((await operator.send('POST', `/item/${id}/retry`)).status).toBe(202)
    await chain.mineAndWork('Bitcoin', 3)
    expect(await statusOf(api, id)).toBe('200 OK')
  })
})

describe('an item that the node refuses', () => {
  it('is stopped with the words of the node before anything is spent, and goes on after a retry', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin', noise(1000))
    const { address, amount } = await askPayment(api, [id], 'Bitcoin')
    chain.pay('Bitcoin', address, amount)
    chain.mine('Bitcoin', 2)
    const before = chain.call('Bitcoin', 'listunspent')
    await chain.work('Bitcoin', { maxDataBytes: 200 })
    const stopped = await showItem(api, id)
    expect(stopped).toMatchObject({ status: '409 Conflict', written: 0 })
    expect(stopped.message).toContain('scriptpubkey')
    expect(chain.call('Bitcoin', 'listunspent')).toEqual(before)

    const operator = callApi((await signIn('admin')).headers)
    const others = callApi((await signIn()).headers)
    expect((await others.send('POST', `/item/${id}/retry`)).status).toBe(403)
    expect((await operator.send('POST', `/item/${id}/retry`)).status).toBe(202)
    await chain.work('Bitcoin')
    await chain.mineAndWork('Bitcoin', 3)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', transactions: 13 })
    expect((await operator.send('POST', `/item/${id}/retry`)).status).toBe(409)
  })
})

describe('an item whose coin somebody else spent', () => {
  it('is stopped, and written anew after a retry', async () => {
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Bitcoin')
    const [txid] = Object.keys(Object(chain.call('Bitcoin', 'getrawmempool', [true])))
    const ours = Object(chain.call('Bitcoin', 'getrawtransaction', [txid, true]))
    chain.evict('Bitcoin', String(txid))
    const back = String(chain.call('Bitcoin', 'getnewaddress'))
    const { txid: coin, vout } = ours.vin[0]
    const raw = chain.call('Bitcoin', 'createrawtransaction', [[{ txid: coin, vout }], { [back]: '1' }])
    const signed = Object(chain.call('Bitcoin', 'signrawtransactionwithwallet', [raw]))
    chain.call('Bitcoin', 'sendrawtransaction', [signed.hex, 0])
    await chain.mineAndWork('Bitcoin', 3)
    const stopped = await showItem(api, id)
    expect(stopped).toMatchObject({ status: '409 Conflict' })
    expect(stopped.message).toContain('Somebody else who uses the wallet spent an output')

    const operator = callApi((await signIn('admin')).headers)
    expect((await operator.send('POST', `/item/${id}/retry`)).status).toBe(202)
    await chain.work('Bitcoin')
    await chain.mineAndWork('Bitcoin', 4)
    expect(await statusOf(api, id)).toBe('200 OK')
  })
})

describe('a wallet that is locked', () => {
  it('lets no new request through; what is paid waits, and goes on by itself', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Nativecoin')
    const other = await mergedItem(api, 'Nativecoin')
    const { address, amount } = await askPayment(api, [id], 'Nativecoin')
    chain.call('Nativecoin', 'encryptwallet', ['secret'])
    expect(await askPayment(api, [other], 'Nativecoin')).toMatchObject({ status: 503, code: 'payment_unavailable' })
    expect(await readAnswer(await api.send('GET', '/payment/Nativecoin'))).toMatchObject({ status: 503 })
    chain.pay('Nativecoin', address, amount)
    chain.mine('Nativecoin', 3)
    await expect(chain.work('Nativecoin')).rejects.toThrow('passphrase')
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted', written: 0 })
    chain.call('Nativecoin', 'walletpassphrase', ['secret', 600])
    await chain.work('Nativecoin')
    expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted', written: 1 })
  })
})
