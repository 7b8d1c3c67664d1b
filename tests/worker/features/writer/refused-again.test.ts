import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

const call = (method: string, ...params: unknown[]) => chain.call('Bitcoin', method, params)

/** Every transaction that the service ever signed here. */
async function ownTransactions(): Promise<{ txid: string; state: string }[]> {
  const { results } = await env.DB.prepare(
    `SELECT txid, state FROM transactions WHERE blockchain = 'Bitcoin' ORDER BY tx_chain, seq`,
  ).all<{ txid: string; state: string }>()
  return results
}

describe('a transaction that the node refuses', () => {
  const refusal = { code: -26, message: 'scriptpubkey' }

  it('is not made anew when the node had taken it and the reply was lost: what it spends may be gone', async () => {
    const { api } = await newUser()
    const before = new Set((await ownTransactions()).map(({ txid }) => txid))
    chain.before('sendrawtransaction', ([hex]) => {
      call('sendrawtransaction', hex)
      chain.refuseNext('sendrawtransaction', { code: -1, message: 'the reply is lost' })
      chain.before('sendrawtransaction', () => chain.refuseNext('sendrawtransaction', refusal))
    })
    const id = await paidItem(chain, api, 'Bitcoin', noise(60))
    await chain.work('Bitcoin')
    await chain.mineAndWork('Bitcoin', 3)
    const own = (await ownTransactions()).filter(({ txid }) => !before.has(txid))
    expect(own.map(({ state }) => state)).not.toContain('dead')
    const { status, txids } = await showItem(api, id)
    expect(status).toBe('200 OK')
    expect(txids).toEqual(own.map(({ txid }) => txid))
  })

  it('stops its item with the reason when no node ever had it', async () => {
    const { api } = await newUser()
    chain.before('sendrawtransaction', () => {
      chain.refuseNext('sendrawtransaction', { code: -1, message: 'the reply is lost' })
      chain.before('sendrawtransaction', () => chain.refuseNext('sendrawtransaction', refusal))
    })
    const id = await paidItem(chain, api, 'Bitcoin', noise(60))
    await chain.work('Bitcoin')
    const { status, message } = await showItem(api, id)
    expect(status).toBe('409 Conflict')
    expect(message).toContain('scriptpubkey')
  })
})
