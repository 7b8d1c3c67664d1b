import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { selectTip, WINDOW } from '../../../../worker/chain/follower/blocks.ts'
import { selectUnknown } from '../../../../worker/features/transactions/sql/list-sends.ts'
import { foldItems } from '../../../../worker/features/writer/fold-items.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { contextOf } from '../../agent-contexts.ts'
import { fetchApi } from '../../fetch-api.ts'
import { count, runSql } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, noise } from '../items/api.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()

async function stored(api: Api, content = noise(300)): Promise<string> {
  const id = await paidItem(chain, api, 'Dogecoin', content)
  for (let blocks = 0; blocks < 20 && (await showItem(api, id)).status !== '200 OK'; blocks++)
    await chain.confirm('Dogecoin')
  expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
  await chain.confirm('Dogecoin')
  return id
}

const left = (id: string) => count(`transactions WHERE item_id = '${id}'`)
const inputs = () => count("transaction_inputs WHERE blockchain = 'Dogecoin'")

/** All that its owner and its readers see of an item. */
async function seen(api: Api, id: string) {
  const { depth: _, ...transactions } = { depth: 0, ...(await json(api, `/item/${id}/transactions`)) }
  const item = await json(api, `/item/${id}`)
  const listed = await json(api, '/item?limit=100')
  const content = await (await fetchApi('GET', `/v0/content/${id}`)).arrayBuffer()
  return {
    item,
    listed,
    receipt: await json(api, `/item/${id}/receipt`),
    transactions,
    content: [...new Uint8Array(content)],
  }
}

async function json(api: Api, path: string): Promise<Record<string, unknown>> {
  return await (await api.send('GET', path)).json()
}

describe('the transactions of a stored item', () => {
  it('are folded when no reorganisation reaches them, and all that is seen of it stays', async () => {
    const { api } = await newUser()
    const content = noise(300)
    const id = await stored(api, content)
    const transactions = Number((await showItem(api, id)).transactions)
    await chain.confirm('Dogecoin', WINDOW - 20)
    await chain.confirm('Dogecoin')
    expect(await left(id)).toBe(transactions)
    await chain.confirm('Dogecoin', 30)
    const before = await seen(api, id)
    await chain.work('Dogecoin')
    expect(await left(id)).toBe(0)
    expect(await inputs()).toBe(0)
    expect(await seen(api, id)).toEqual(before)
    expect(before.content).toEqual([...content])
    const row = await env.DB.prepare(
      'SELECT txids, length(packed) AS bytes, vsize > 0 AS vsize, CAST(fee AS INTEGER) > 0 AS fee FROM item_txids WHERE item_id = ?',
    )
    expect(await row.bind(id).first()).toEqual({ txids: '', bytes: 32 * transactions, vsize: 1, fee: 1 })
  })

  it('are not folded at a depth that the follower may still go back to', () => {
    expect(readConfig(env).foldBlocks).toBeGreaterThanOrEqual(WINDOW)
  })

  it('are known for ours where a chain was accepted that parts below them', async () => {
    const { api } = await newUser()
    const id = await stored(api)
    const txids = (await showItem(api, id)).txids as string[]
    await chain.confirm('Dogecoin', WINDOW + 20)
    await chain.mineAndWork('Dogecoin', 8)
    expect(await left(id)).toBe(0)
    const strange = 'ab'.repeat(32)
    expect(await selectUnknown(env.DB, 'Dogecoin', [...txids, strange], 0)).toEqual(new Set([strange]))
    expect(await selectUnknown(env.DB, 'Dogecoin', txids.slice(0, 1), 0)).toEqual(new Set())
    expect(await count("sends WHERE blockchain = 'Dogecoin'")).toBe(0)
  })

  it('stay where a tx chain still stands on them, or their rows are not what was stored', async () => {
    const { api } = await newUser()
    const [open, other] = [await stored(api), await stored(api)]
    const foldIn = (blocks: number) =>
      runSql('UPDATE writes SET fold_from = fold_from + ? WHERE item_id IN (?, ?)', blocks, open, other)
    await foldIn(1_000)
    await chain.confirm('Dogecoin', WINDOW)
    const txChain = `(SELECT tx_chain FROM transactions WHERE item_id = ? LIMIT 1)`
    const fix = `UPDATE transactions SET txid = replace(txid, substr(txid, 1, 1), 'g') WHERE item_id = ?`
    await runSql(fix, other)
    await chain.confirm('Dogecoin', 19)
    await runSql(`UPDATE tx_chains SET state = 'open' WHERE blockchain = 'Dogecoin' AND id = ${txChain}`, open)
    const tip = await selectTip(env.DB, 'Dogecoin')
    if (!tip) throw new Error('no chain')
    await foldIn(-1_000)
    await foldItems(contextOf('Dogecoin'), tip)
    expect(await left(open)).toBeGreaterThan(0)
    expect(await left(other)).toBeGreaterThan(0)
  })
})
