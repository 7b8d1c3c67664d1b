import { describe, expect, it } from 'vitest'
import { CHAINS } from '../../../../protocol/chains.ts'
import { describeTransaction } from '../../../../worker/features/transactions/item-transactions.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, noise, uploadItem } from '../items/api.ts'
import { mergedItem, newUser, paidItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

interface Page {
  transactions: { index: number; txid: string | null; bytes: number; state: string; depth: number }[]
  confirmations: number
  cursor?: string
}

const list = async (api: Api, id: string, query = '') =>
  await (await api.send('GET', `/item/${id}/transactions${query}`)).json<Page>()

describe('GET /v0/item/<id>/transactions', () => {
  it('tells each with its bytes and depth, and its txid once that is deep enough', async () => {
    const { api } = await newUser()
    const id = await paidItem(chain, api, 'Dogecoin', noise(150))
    const { confirmations } = await list(api, id)
    expect(confirmations).toBe(CHAINS.Dogecoin.confirmations)
    const states: string[] = []
    for (let blocks = 0; blocks < 12; blocks++) {
      const { transactions } = await list(api, id)
      expect(transactions.map(({ index }) => index)).toEqual(transactions.map((_, index) => index))
      for (const { state, depth, txid } of transactions) {
        expect(txid !== null).toBe(depth >= confirmations)
        states.push(state)
      }
      await chain.confirm('Dogecoin')
    }
    const { transactions } = await list(api, id)
    const item = await (await api.send('GET', `/item/${id}`)).json<{ txids: string[]; storedSize: number }>()
    expect(transactions.map(({ txid }) => txid)).toEqual(item.txids)
    expect(transactions.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(item.storedSize)
    expect(new Set(states)).toEqual(new Set(['sent', 'confirmed', 'stored']))
  })

  it('counts what is to come before it is paid, 50 a page', async () => {
    const { api } = await newUser()
    const id = await mergedItem(api, 'Bitcoin', noise(60 * CHAINS.Bitcoin.maxDataBytes))
    const first = await list(api, id)
    expect(first.transactions).toHaveLength(50)
    expect(first.transactions[0]).toEqual({
      index: 0,
      txid: null,
      bytes: CHAINS.Bitcoin.maxDataBytes,
      state: 'waiting',
      depth: 0,
      lastSeen: null,
    })
    const second = await list(api, id, `?cursor=${first.cursor}`)
    expect(second.transactions[0]?.index).toBe(50)
    expect(second.cursor).toBeUndefined()
    expect((await list(api, id, '?cursor=0')).transactions[0]?.index).toBe(0)
    expect((await api.send('GET', `/item/${id}/transactions?cursor=x`)).status).toBe(400)
  })

  it("has none before the merge, none on IPFS, and tells nobody of another's", async () => {
    const { api } = await newUser()
    const other = await newUser()
    expect(await list(api, await mergedItem(api, 'IPFS'))).toEqual({ transactions: [], confirmations: 0 })
    const id = await uploadItem(api, noise(10), { blockchain: 'Bitcoin' })
    expect((await list(api, id)).transactions).toEqual([])
    expect((await other.api.send('GET', `/item/${id}/transactions`)).status).toBe(404)
  })
})

describe('a transaction as its payer may know it', () => {
  const view = { tipHeight: 100, tipAt: 7_000, steppedAt: 9_500, confirmations: 3 }
  const row = { txid: 'ab', state: 'mined' as const, checkedHeight: 90, blockHeight: 98 }

  it('was last seen in the chain when that was last followed', () => {
    expect(describeTransaction(4, 80, row, view)).toEqual({
      index: 4,
      txid: 'ab',
      bytes: 80,
      state: 'stored',
      depth: 3,
      lastSeen: 9,
    })
  })

  it('is only confirmed, and has no name, one block before its depth', () => {
    const found = describeTransaction(0, 80, { ...row, blockHeight: 99 }, view)
    expect(found).toMatchObject({ txid: null, state: 'confirmed', depth: 2 })
  })

  it('was last seen in the mempool when the newest block was met, if the node had it then', () => {
    const sent = { ...row, state: 'sent' as const, blockHeight: null }
    expect(describeTransaction(0, 80, { ...sent, checkedHeight: 100 }, view)).toMatchObject({
      state: 'sent',
      lastSeen: 7,
    })
    expect(describeTransaction(0, 80, sent, view)).toMatchObject({ state: 'sent', lastSeen: null })
  })

  it('waits while it is only signed', () => {
    const signed = { ...row, state: 'signed' as const, checkedHeight: null, blockHeight: null }
    expect(describeTransaction(0, 80, signed, view)).toMatchObject({ state: 'waiting', txid: null, depth: 0 })
  })
})
