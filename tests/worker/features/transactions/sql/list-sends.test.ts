import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { selectUnknown } from '../../../../../worker/features/transactions/sql/list-sends.ts'
import { add, clear } from '../../../rows.ts'

const { DB } = env
const send = (txid: string, more: object = {}) => ({ blockchain: 'Bitcoin', txid, amount: '1', seen_at: 0, ...more })
beforeEach(() => clear('sends', 'transactions', 'tx_chains', 'item_txids', 'writes', 'payment_requests', 'items'))

describe('a transaction of a wallet', () => {
  const ask = async (txids: readonly string[], above = 0) =>
    [...(await selectUnknown(DB, 'Bitcoin', txids, above))].sort()

  it('is known that was signed or listed, on its chain', async () => {
    for (const [blockchain, name] of [
      ['Bitcoin', 'ours'],
      ['Dogecoin', 'theirs'],
    ] as const) {
      await add('tx_chains', { id: 1, blockchain, coin_txid: name })
      await add('transactions', { txid: `${name}-signed`, blockchain })
      await add('sends', send(`${name}-listed`, { blockchain, assigned: 'foreign' }))
    }
    const txids = ['signed', 'listed'].flatMap((how) => [`ours-${how}`, `theirs-${how}`])
    expect(await ask([...txids, 'new'])).toEqual(['new', 'theirs-listed', 'theirs-signed'])
  })

  it('is known that wrote an item, in a block above the last search, on its chain', async () => {
    const txids = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(64))
    await add('payment_requests', { id: 'request' })
    for (const [index, index_txid] of txids.entries()) {
      await add('items', { id: `item ${index}` })
      const chain = index === 3 ? { blockchain: 'Dogecoin' } : {}
      const write = { item_id: `item ${index}`, state: 'done', folded_height: index + 3, index_txid }
      await add('writes', { ...write, ...chain })
    }
    expect(await ask(txids, 3)).toEqual([txids[0], txids[3]])
    expect(await ask(txids, 2)).toEqual([txids[3]])
  })
})
