import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { runStep } from '../../../worker/agent/run-step.ts'
import { settledHistory } from '../../kit/settled-history.ts'
import { contextOf } from '../agent-contexts.ts'
import { countRows } from '../count-rows.ts'
import { type Api, noise } from '../features/items/api.ts'
import { askPayment, mergedItem, newUser, showItem } from '../features/payments/pay-for-items.ts'
import { useDevnet } from '../use-devnet.ts'

/** Settled payments and written items, over so many of the oldest blocks; none of those is still watched after so many more. */
const HISTORY = 20_000
const OLD_BLOCKS = 10
const YOUNGER_BLOCKS = 200

const chain = useDevnet()

/** Rows that the agent's steps read from an item's payment until it is stored, and for a block after that. */
async function rowsFor(api: Api): Promise<number> {
  const context = contextOf()
  const { db, rows } = countRows(env.DB)
  const id = await mergedItem(api, 'Bitcoin', noise(240))
  const { address, amount } = await askPayment(api, [id], 'Bitcoin')
  chain.pay('Bitcoin', address, amount)
  const block = async () => {
    chain.mine('Bitcoin')
    for (
      let step = 0;
      step < 20 &&
      (await runStep({ ...context, numbers: chain.numbersOf('Bitcoin'), db, now: Date.now() })).next === 'now';
      step++
    );
  }
  for (let blocks = 0; blocks < 20 && (await showItem(api, id)).status !== '200 OK'; blocks++) await block()
  expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
  await block()
  return rows().read
}

it('reads no more rows for an item beside thousands that were paid and written before', {
  timeout: 300_000,
}, async () => {
  const { api } = await newUser()
  chain.mine('Bitcoin', YOUNGER_BLOCKS)
  await rowsFor(api)
  const alone = await rowsFor(api)
  const oldest = chain.devnet.node('Bitcoin').chain.active.slice(0, OLD_BLOCKS)
  const hashes = oldest.map(({ hash }) => hash)
  for (const { sql, values } of settledHistory(HISTORY, 'Bitcoin', hashes))
    await env.DB.prepare(sql)
      .bind(...values)
      .run()
  const beside = await rowsFor(api)
  expect(beside).toBeLessThan(1.2 * alone)
})
