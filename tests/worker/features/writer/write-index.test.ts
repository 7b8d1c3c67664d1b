import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { fromHex } from '../../../../protocol/bytes.ts'
import { decodeContentIndex } from '../../../../protocol/content-index.ts'
import { opReturnData } from '../../../../protocol/op-return.ts'
import { decodeTransaction } from '../../../../protocol/transaction.ts'
import { WINDOW } from '../../../../worker/chain/follower/blocks.ts'
import { selectUnknown } from '../../../../worker/features/transactions/sql/list-sends.ts'
import { fetchApi } from '../../fetch-api.ts'
import { add, list, runSql } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi, noise, uploadItem } from '../items/api.ts'
import { askPayment, newUser, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
/** In three transactions of Nativecoin. */
const CONTENT = noise(250_000)

const call = (method: string, ...params: unknown[]) => chain.call('Nativecoin', method, params)

/** An upload that is merged with or without an index, and paid. */
async function paid(api: Api, index?: boolean, content = CONTENT): Promise<string> {
  const id = await uploadItem(api, content, { blockchain: 'Nativecoin' })
  const body = index === undefined ? undefined : { index }
  const merge = () => (body ? api.sendJson('POST', `/item/${id}/merge`, body) : api.send('POST', `/item/${id}/merge`))
  for (let status = 202; status === 202; ) {
    const answer = await merge()
    ;({ status } = answer)
    if (status === 202) await scheduler.wait(100)
    else expect(status).toBe(200)
  }
  const { address, amount, confirmations } = await askPayment(api, [id], 'Nativecoin')
  chain.pay('Nativecoin', address, amount)
  await chain.confirm('Nativecoin', Number(confirmations))
  return id
}

/** Mines until `holds` of the item. */
async function until(api: Api, id: string, holds: (item: Record<string, unknown>) => boolean) {
  for (let blocks = 0; blocks < 60; blocks++) {
    const item = await showItem(api, id)
    if (holds(item)) return item
    await chain.mineAndWork('Nativecoin')
  }
  throw new Error(`not after 60 blocks: ${JSON.stringify(await showItem(api, id))}`)
}

const isStored = (item: Record<string, unknown>) => item.status === '200 OK'
const isIndexed = (item: Record<string, unknown>) => isStored(item) && typeof item.index === 'string'

/** What a transaction of the chain says as an index. */
function indexOf(txid: unknown) {
  const raw = fromHex(String(call('getrawtransaction', txid))) ?? new Uint8Array(0)
  const { outputs } = decodeTransaction(raw)
  const [data] = opReturnData(outputs.map(({ script }) => script)) ?? []
  return data && decodeContentIndex(data)
}

const writesOf = async (id: string) =>
  await runSql('SELECT state, index_txid AS txid FROM writes WHERE index_of = ? ORDER BY created_at', id)

/** Takes the block of a transaction off the chain, and has another one spend what it spends. */
function spendOtherwise(txid: string): { holder: unknown } {
  const { vin, blockhash } = Object(call('getrawtransaction', txid, true))
  call('invalidateblock', blockhash)
  chain.evict('Nativecoin', txid)
  const back = String(call('getnewaddress'))
  const raw = call('createrawtransaction', [{ txid: vin[0].txid, vout: vin[0].vout }], { [back]: '1' })
  call('sendrawtransaction', Object(call('signrawtransactionwithwallet', raw)).hex, 0)
  return { holder: blockhash }
}

describe('content of several transactions on Nativecoin', () => {
  it('is stored without its index, which then names its txids in one transaction more', async () => {
    const { api } = await newUser()
    const id = await paid(api)
    const stored = await until(api, id, isStored)
    expect(stored).toMatchObject({ index: null, transactions: 4, written: 3, confirmed: 3 })
    expect(stored.txids).toHaveLength(3)
    const item = await until(api, id, isIndexed)
    expect(item).toMatchObject({ txids: stored.txids, transactions: 4, written: 4, confirmed: 4 })
    expect(item.txids).not.toContain(item.index)
    expect(indexOf(item.index)).toMatchObject({ size: CONTENT.length, encoding: 'br', parts: item.txids })
    expect(item.links).toMatchObject({ web: `https://api.example/v0/web/Nativecoin/${item.index}` })
    const page = await fetchApi('GET', `/v0/web/Nativecoin/${item.index}`)
    expect(Buffer.compare(new Uint8Array(await page.arrayBuffer()), CONTENT)).toBe(0)
    expect(item.embed).toContain(`data-src="${item.index}"`)
    const receipt = await api.send('GET', `/item/${id}/receipt`)
    expect(await receipt.json()).toMatchObject({ item: id, index: item.index })
    const source = await fetchApi('GET', `/v0/item/${id}/source`)
    expect(await source.json()).toMatchObject({ txids: item.txids, index: item.index })
    await chain.mineAndWork('Nativecoin', 3)
    expect(await writesOf(id)).toEqual([{ state: 'done', txid: item.index }])
  })

  it('is recorded as refused no more once its index is in a block that another miner made', async () => {
    const { api } = await newUser()
    const id = await paid(api)
    await until(api, id, isStored)
    const index = String(
      await env.DB.prepare('SELECT item_id FROM writes WHERE index_of = ?').bind(id).first('item_id'),
    )
    await add('failed_records', { blockchain: 'Nativecoin', kind: 'refused', id: index })
    await until(api, id, isIndexed)
    await chain.work('Nativecoin')
    expect(await list('failed_records', 'id')).toEqual([])
  })

  it('has none where that is asked for, nor has content of one transaction', async () => {
    const { api } = await newUser()
    const [without, small] = [await paid(api, false), await paid(api, true, noise(100))]
    for (const id of [without, small]) {
      const item = await until(api, id, isStored)
      expect(item.index).toBeUndefined()
      expect(item.transactions).toBe(Object(item.txids).length)
      expect(await writesOf(id)).toEqual([])
    }
  })

  it('costs what its index costs more', async () => {
    const { api } = await newUser()
    const amounts: number[] = []
    for (const index of [true, false]) {
      const id = await uploadItem(api, CONTENT, { blockchain: 'Nativecoin' })
      while ((await api.sendJson('POST', `/item/${id}/merge`, { index })).status === 202) await scheduler.wait(100)
      amounts.push(Number((await askPayment(api, [id], 'Nativecoin')).amount))
    }
    expect(amounts[0]).toBeGreaterThan(amounts[1] ?? 0)
  })

  it('keeps its index where it is merged in a list', async () => {
    const { api } = await newUser()
    const id = await uploadItem(api, noise(12), { blockchain: 'Bitcoin' })
    const answer = await api.sendJson('POST', '/item/merge', { items: [id], index: true })
    expect(await answer.json()).toMatchObject({ items: [{ id, code: 'index_not_offered' }] })
  })
})

describe('an index that is asked for where there is none', () => {
  it.each(['Bitcoin', 'Dogecoin', 'IPFS'] as const)(
    'is refused on %s, and the upload is merged without',
    async (target) => {
      const { api } = await newUser()
      const id = await uploadItem(api, noise(10), { blockchain: target })
      const answer = await api.sendJson('POST', `/item/${id}/merge`, { index: true })
      expect(answer.status).toBe(422)
      expect(await answer.json()).toMatchObject({ code: 'index_not_offered', targets: ['Nativecoin'] })
      for (let status = 202; status === 202; ) ({ status } = await api.sendJson('POST', `/item/${id}/merge`, {}))
      expect((await showItem(api, id)).status).toBe('402 Payment Required')
    },
  )
})

describe('the index of an item that a reorganisation reaches', () => {
  it('is written anew with the txids that the item has then', async () => {
    const { api } = await newUser()
    const id = await paid(api)
    const before = await until(api, id, isIndexed)
    const [, , last] = Object(before.txids)
    spendOtherwise(last)
    await chain.mineAndWork('Nativecoin', 3)
    const stopped = await showItem(api, id)
    expect(stopped).toMatchObject({ status: '409 Conflict', index: null })
    const after = await until(api, id, isIndexed)
    expect(after.txids).not.toEqual(before.txids)
    expect(after.index).not.toBe(before.index)
    expect(indexOf(after.index)).toMatchObject({ parts: after.txids })
  })

  it('is made of the new txids where the parts changed before it was', async () => {
    const { api } = await newUser()
    const id = await paid(api)
    const before = await until(api, id, isStored)
    expect(before.index).toBeNull()
    const [, , last] = Object(before.txids)
    spendOtherwise(last)
    const after = await until(api, id, (item) => isIndexed(item) && String(item.txids) !== String(before.txids))
    expect(indexOf(after.index)).toMatchObject({ parts: after.txids })
    await chain.mineAndWork('Nativecoin', 8)
    expect((await showItem(api, id)).index).toBe(after.index)
  })

  it('is shown again where the item is stored again with the same txids', async () => {
    const { api } = await newUser()
    const id = await paid(api)
    const before = await until(api, id, isIndexed)
    const { holder } = spendOtherwise(String(Object(before.txids)[2]))
    await chain.mineAndWork('Nativecoin', 2)
    expect(await showItem(api, id)).toMatchObject({ status: '409 Conflict', index: null })
    const other = call('getbestblockhash')
    call('reconsiderblock', holder)
    call('invalidateblock', Object(call('getblockheader', other)).previousblockhash)
    const again = await until(api, id, isIndexed)
    expect(again).toMatchObject({ txids: before.txids, index: before.index })
  })

  it('is made anew where only its own coin is spent otherwise, and the item stays stored', async () => {
    const { api } = await newUser()
    const id = await paid(api)
    const before = await until(api, id, isIndexed)
    spendOtherwise(String(before.index))
    await chain.mineAndWork('Nativecoin', 3)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', txids: before.txids, index: null })
    const after = await until(api, id, isIndexed)
    expect(after).toMatchObject({ txids: before.txids })
    expect(after.index).not.toBe(before.index)
    expect(indexOf(after.index)).toMatchObject({ parts: before.txids })
  })
})

describe('the transaction of an index', () => {
  it('is folded as those of its item, and known for ours afterwards', async () => {
    const { api } = await newUser()
    const id = await paid(api)
    const item = await until(api, id, isIndexed)
    await chain.mineAndWork('Nativecoin', 3)
    await chain.confirm('Nativecoin', WINDOW + 20)
    await chain.work('Nativecoin')
    const left = env.DB.prepare('SELECT COUNT(*) AS n FROM transactions WHERE item_id LIKE ?').bind(`${id}%`)
    expect(await left.first('n')).toBe(0)
    expect(await showItem(api, id)).toEqual(item)
    const strange = 'ab'.repeat(32)
    expect(await selectUnknown(env.DB, 'Nativecoin', [String(item.index), strange], 0)).toEqual(new Set([strange]))
  })
})

describe('an index that the node refuses', () => {
  it('waits for an operator, who has it tried again', async () => {
    const { api } = await newUser()
    const id = await paid(api)
    await until(api, id, isStored)
    await runSql(`UPDATE writes SET state = 'parked' WHERE index_of = ?`, id)
    await chain.mineAndWork('Nativecoin', 3)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', index: null })
    const operator = callApi((await signIn('admin')).headers)
    const listed = await (await operator.send('GET', '/operate/failed-records')).json()
    expect(listed).toMatchObject({ records: [{ kind: 'stopped', reason: expect.stringContaining('index') }] })
    expect((await operator.send('POST', `/item/${id}/retry`)).status).toBe(202)
    const item = await until(api, id, isIndexed)
    expect(indexOf(item.index)).toMatchObject({ parts: item.txids })
    expect((await operator.send('POST', `/item/${id}/retry`)).status).toBe(409)
  })
})
