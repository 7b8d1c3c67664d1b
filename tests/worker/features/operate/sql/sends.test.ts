import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  assignSendStatements,
  rewindSendScanStatement,
  selectSend,
  selectSendScan,
  selectUnassigned,
  selectUnknown,
  sumUnassigned,
  upsertSendScanStatement,
} from '../../../../../worker/features/operate/sql/sends.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, read } from '../../../rows.ts'

const { DB } = env
const send = (txid: string, more: object = {}) => ({ blockchain: 'Bitcoin', txid, amount: '1', seen_at: 0, ...more })
beforeEach(() =>
  clear('sends', 'send_scans', 'transactions', 'tx_chains', 'item_txids', 'writes', 'payment_requests', 'items'),
)

describe('what left a wallet', () => {
  it('waits to be assigned, the oldest first, on its chain or on all', async () => {
    await add('sends', send('b', { seen_at: 2 }), send('a', { seen_at: 3 }), send('c', { assigned: 'foreign' }))
    await add('sends', send('d', { blockchain: 'Dogecoin', seen_at: 1 }))
    const txids = async (limit: number, blockchain?: 'Bitcoin') =>
      (await selectUnassigned(DB, limit, blockchain)).map(({ txid }) => txid)
    expect([await txids(9), await txids(9, 'Bitcoin'), await txids(1, 'Bitcoin')]).toEqual([
      ...[['d', 'b', 'a'], ['b', 'a'], ['b']],
    ])
  })

  it('is found by its transaction, on whatever chain', async () => {
    await add('sends', send('a', { amount: '7' }), send('b', { blockchain: 'Dogecoin', assigned: 'sweep' }))
    expect(await selectSend(DB, 'a')).toMatchObject({ blockchain: 'Bitcoin', amount: 7n, assigned: undefined })
    expect(await selectSend(DB, 'b')).toMatchObject({ blockchain: 'Dogecoin', assigned: 'sweep' })
    expect(await selectSend(DB, 'c')).toBeUndefined()
  })

  it('is summed to the last unit, on its chain, as long as it is not assigned', async () => {
    const large = 4_503_599_627_370_497n
    await add('sends', send('a', { amount: String(large) }), send('b', { amount: String(2n * large) }))
    await add('sends', send('c', { assigned: 'foreign' }), send('d', { blockchain: 'Dogecoin' }))
    expect([await sumUnassigned(DB, 'Bitcoin'), await sumUnassigned(DB, 'Nativecoin')]).toEqual([3n * large, 0n])
  })

  it('is assigned once, by itself', async () => {
    await add('sends', send('a'), send('b'), send('a', { blockchain: 'Dogecoin' }))
    const assign = (txid: string, as: 'withdrawal' | 'foreign') =>
      batchIf(DB, assignSendStatements(DB, { blockchain: 'Bitcoin', txid }, { as, loss: 3n }))
    expect([await assign('a', 'withdrawal'), await assign('a', 'foreign'), await assign('c', 'foreign')]).toEqual([
      ...[true, false, false],
    ])
    expect(await read('sends', 'blockchain || txid', "assigned || ' ' || loss")).toEqual({
      ...{ Bitcoina: 'withdrawal 3', Bitcoinb: null, Dogecoina: null },
    })
  })
})

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

describe('the search of a wallet for what left it', () => {
  const note = (blockchain: 'Bitcoin' | 'Dogecoin', height: number) =>
    upsertSendScanStatement(DB, blockchain, { hash: `at ${height}`, height }, height).run()

  it('goes on from where it ended, on each chain', async () => {
    await note('Bitcoin', 5)
    await note('Dogecoin', 6)
    await note('Bitcoin', 7)
    expect(await selectSendScan(DB, 'Bitcoin')).toEqual({ hash: 'at 7', height: 7, comparedAt: 7 })
    expect(await selectSendScan(DB, 'Dogecoin')).toEqual({ hash: 'at 6', height: 6, comparedAt: 6 })
    expect(await selectSendScan(DB, 'Nativecoin')).toBeUndefined()
  })

  it('goes back to a block that is lower, and never forth to one that is higher', async () => {
    await note('Bitcoin', 5)
    await note('Dogecoin', 5)
    const rewind = (height: number) => rewindSendScanStatement(DB, 'Bitcoin', { hash: `other ${height}`, height }).run()
    await rewind(6)
    expect(await read('send_scans', 'blockchain', 'hash')).toEqual({ Bitcoin: 'at 5', Dogecoin: 'at 5' })
    await rewind(4)
    expect(await read('send_scans', 'blockchain', 'hash')).toEqual({ Bitcoin: 'other 4', Dogecoin: 'at 5' })
  })
})
