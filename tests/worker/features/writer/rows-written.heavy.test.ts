import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { runStep } from '../../../../worker/agent/run-step.ts'
import { WINDOW } from '../../../../worker/chain/follower/blocks.ts'
import { contextOf } from '../../agent-contexts.ts'
import { countRows } from '../../count-rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { askPayment, mergedItem, newUser, showItem } from '../payments/pay-for-items.ts'

const TRANSACTIONS = 1_000
/** Rows written for each transaction at most, those of indexes too. */
const MOST = 12
/** Bytes that stay in D1 for each transaction at most. */
const BYTES = 40

const chain = useDevnet()

it('writes at most 12 rows for each transaction of an item, from its payment until it is folded', {
  timeout: 300_000,
}, async () => {
  const context = contextOf()
  const { api } = await newUser()
  await chain.work('Bitcoin')
  const { db, rows } = countRows(env.DB)
  const block = async (blocks = 1) => {
    chain.mine('Bitcoin', blocks)
    for (
      let step = 0;
      step < 200 &&
      (await runStep({ ...context, numbers: chain.numbersOf('Bitcoin'), db, now: Date.now() })).next === 'now';
      step++
    );
  }
  const id = await mergedItem(api, 'Bitcoin', noise(TRANSACTIONS * 80 - 200))
  const { address, amount } = await askPayment(api, [id], 'Bitcoin')
  chain.pay('Bitcoin', address, amount)
  for (let blocks = 0; blocks < 40 && (await showItem(api, id)).status !== '200 OK'; blocks++) await block()
  const { transactions } = await showItem(api, id)
  expect(transactions).toBeGreaterThan(TRANSACTIONS - 10)
  await block(WINDOW + 10)
  await block(1)
  const kept = await env.DB.prepare(
    `SELECT length(packed) + length(heights) + length(fee) + length(txids) AS bytes FROM item_txids WHERE item_id = ?
       AND NOT EXISTS (SELECT 1 FROM transactions WHERE item_id = ?1 LIMIT 1)`,
  )
    .bind(id)
    .first<number>('bytes')
  const perTransaction = rows().written / Number(transactions)
  console.info(
    `${perTransaction.toFixed(2)} rows and ${(Number(kept) / Number(transactions)).toFixed(1)} bytes a transaction`,
  )
  expect(kept).toBeGreaterThan(0)
  expect(Number(kept) / Number(transactions)).toBeLessThanOrEqual(BYTES)
  expect(perTransaction).toBeLessThanOrEqual(MOST)
})
