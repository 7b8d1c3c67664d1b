import { env } from 'cloudflare:test'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { followChain } from '../../../../worker/agent/follow-chain.ts'
import { runStep } from '../../../../worker/agent/run-step.ts'
import { stopItemsStatements } from '../../../../worker/features/items/sql/move-items.ts'
import { retryItem } from '../../../../worker/features/writer/retry-item.ts'
import { contextOf } from '../../agent-contexts.ts'
import { read } from '../../rows.ts'
import { signIn } from '../../sign-in.ts'
import { useDevnet } from '../../use-devnet.ts'
import { callApi, noise } from '../items/api.ts'
import { newCustomer } from '../payments/customer.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
beforeAll(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
})

/** The database as one step sees it; `effect` comes first, once, where it runs a statement that contains `sql`. */
function beforeStatement(sql: string, effect: () => Promise<unknown>): D1Database {
  const own = new WeakMap<object, D1PreparedStatement>()
  let left = 1
  const first = async () => {
    if (left-- > 0) await effect()
  }
  const hooked = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => hooked(target.bind(...values))
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return async (...values: unknown[]) => {
          await first()
          return await Reflect.apply(member, target, values)
        }
      },
    })
    own.set(proxy, statement)
    return proxy
  }
  return new Proxy(env.DB, {
    get(target, name) {
      if (name === 'prepare') return (text: string) => (text.includes(sql) ? hooked : same)(target.prepare(text))
      if (name !== 'batch') return Reflect.get(target, name, target)
      return async (batch: D1PreparedStatement[]) => {
        if (batch.some((one) => own.has(one))) await first()
        return await target.batch(batch.map((one) => own.get(one) ?? one))
      }
    },
  })
}

const same = (statement: D1PreparedStatement) => statement

const step = async (db: D1Database) => await runStep({ ...contextOf(), db, numbers: chain.numbersOf('Bitcoin') })

const mempool = () => chain.call('Bitcoin', 'getrawmempool')

/** A paid item whose only transaction is signed and was never sent. */
async function signedItem() {
  const { api } = await newUser()
  const id = await paidItem(chain, api, 'Bitcoin', noise(60))
  const txid = String(await env.DB.prepare('SELECT txid FROM transactions WHERE item_id = ?').bind(id).first('txid'))
  chain.evict('Bitcoin', txid)
  const unsent = "UPDATE transactions SET state = 'signed', attempts = 0, sent_height = NULL, checked_height = NULL"
  await env.DB.prepare(`${unsent} WHERE txid = ?`).bind(txid).run()
  const stop = async () => await env.DB.batch(stopItemsStatements(env.DB, [id], 'parked', 'A test.', Date.now()))
  return { api, id, txid, stop }
}

describe('a transaction that was signed and never sent', () => {
  it('is not given up by a step that saw its item stopped, where another step sends it first', async () => {
    const { api, id, txid, stop } = await signedItem()
    await stop()
    await step(
      beforeStatement("SET state = 'dead'", async () => {
        await retryItem(env.DB, id, () => [], Date.now())
        await chain.work('Bitcoin')
      }),
    )
    expect(mempool()).toContain(txid)
    expect(await read('transactions', 'txid', 'state')).toMatchObject({ [txid]: 'sent' })
    await chain.mineAndWork('Bitcoin', 3)
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK', txids: [txid] })
  })

  it('is not sent by a step that was about to, where another step gives it up first', async () => {
    const { txid, stop } = await signedItem()
    await step(
      beforeStatement('SET attempts = attempts + 1', async () => {
        await stop()
        await chain.work('Bitcoin')
      }),
    )
    expect(await read('transactions', 'txid', 'state')).toMatchObject({ [txid]: 'dead' })
    expect(mempool()).not.toContain(txid)
  })
})

describe('a payout whose coin is spent back for its withdrawal is to end', () => {
  it('is not given up where another step has found it in a block', async () => {
    const { withdraw, withdrawal, balance } = await newCustomer(chain)
    const { id } = await withdraw('0.2')
    await chain.work('Bitcoin')
    const before = await balance()
    const operator = callApi((await signIn('admin')).headers)
    await operator.sendJson('POST', `/operate/withdrawal/${id}`, { act: 'refund', reason: 'a test' })
    await step(
      beforeStatement("SET state = 'dead'", async () => {
        chain.mine('Bitcoin')
        await followChain(contextOf())
      }),
    )
    await chain.mineAndWork('Bitcoin', 8)
    expect([(await withdrawal(id))?.state, await balance()]).toEqual(['confirmed', before])
  })
})
