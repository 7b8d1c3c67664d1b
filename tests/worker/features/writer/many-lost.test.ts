import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fromHex } from '../../../../protocol/bytes.ts'
import { encodeTransaction } from '../../../../protocol/transaction.ts'
import { runStep } from '../../../../worker/agent/run-step.ts'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { reopenTxChains } from '../../../../worker/features/writer/raise/reopen-tx-chains.ts'
import { countStatements } from '../../../../worker/platform/d1/count-statements.ts'
import { contextOf } from '../../agent-contexts.ts'
import { addMany, clear } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const COUNT = 300
const BUNDLE = 'writer/Bitcoin/65f0a1b2c3d4e5f601020399'
const SCRIPT = `0014${'ab'.repeat(20)}`

/** A transaction of a coin that is on no chain. */
const raw = encodeTransaction({
  ...{ version: 2, lockTime: 0 },
  inputs: [{ txid: 'cd'.repeat(32), vout: 0, script: new Uint8Array(0), sequence: 0xffff_ffff, witness: [] }],
  outputs: [{ value: 10_000n, script: fromHex(SCRIPT) ?? new Uint8Array(0) }],
})

beforeEach(async () => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  await chain.work('Bitcoin')
  await clear('failed_records', 'transaction_inputs', 'transactions', 'tx_chains')
  await addMany('tx_chains', COUNT, {
    ...{ id: 'n', coin_txid: "printf('%064x', n)", coin_script: "'00'", script: `'${SCRIPT}'`, state: "'closed'" },
  })
  await addMany('transactions', COUNT, {
    ...{ txid: "printf('%064x', 1000000 + n)", tx_chain: 'n', bundle: `'${BUNDLE}'`, length: String(raw.length) },
    ...{ item_id: "printf('%024x', n)", item_index: '0', vsize: '82', fee: "'82'", change_value: "'10000'" },
    ...{ attempts: '1', sent_height: '1', checked_height: '1' },
  })
})

/** Statements of one step. */
async function countStep(): Promise<number> {
  const { db, count } = countStatements(env.DB)
  await runStep({ ...contextOf(), db, numbers: chain.numbersOf('Bitcoin') })
  return count()
}

const left = (condition: string) =>
  env.DB.prepare(`SELECT COUNT(*) AS n FROM transactions WHERE ${condition}`).first<number>('n')

describe('after a chain was accepted that has none of hundreds of tx chains', () => {
  it('those whose signed bytes are deleted are ended by one step, within what D1 allows', async () => {
    await env.BUCKET.delete(BUNDLE)
    chain.mine('Bitcoin')
    expect(await countStep()).toBeLessThan(300)
    expect(await left('checked_height = 1')).toBe(0)
  })

  it('those whose coins are gone are looked after by some steps, each within what D1 allows', async () => {
    await env.BUCKET.put(BUNDLE, raw)
    chain.mine('Bitcoin')
    const counts: number[] = []
    for (let step = 0; step < COUNT / 30; step++) counts.push(await countStep())
    expect(Math.max(...counts)).toBeLessThan(800)
    expect(await left('spent_height IS NULL')).toBe(0)
    // There is nothing left to do before another block.
    expect(await countStep()).toBeLessThan(100)
  })
})

describe('tx chains that a reorganisation took off the chain', () => {
  async function reopen(spent: (ends: string[]) => string[]) {
    const context = contextOf()
    const { db, count } = countStatements(env.DB)
    const unmined = await selectUnmined(env.DB, 'Bitcoin')
    const ids = new Set(unmined.map(({ txChain }) => txChain))
    const points = new Set(spent(unmined.map(({ txid }) => `${txid}:0`)))
    await reopenTxChains({ ...context, db, now: Date.now() }, ids, unmined, points)
    return count()
  }
  const records = () =>
    env.DB.prepare("SELECT COUNT(*) AS n FROM failed_records WHERE kind = 'tx_chain'").first<number>('n')

  it('are recorded as failed some at a time where somebody else has spent their ends', async () => {
    expect(await reopen(() => [])).toBeLessThan(100)
    expect(await records()).toBe(20)
    await reopen(() => [])
    expect(await records()).toBe(40)
  })

  it('are left to the tx chains of ours that go on from them', async () => {
    await reopen((ends) => ends)
    expect(await records()).toBe(0)
  })

  it('are reopened no more than may be open, those counted that something waits in', async () => {
    await env.DB.prepare("UPDATE tx_chains SET state = 'open' WHERE id <= 20").run()
    await reopen(() => [])
    // Four times eight in all.
    expect(await records()).toBe(12)
    await env.DB.prepare("UPDATE tx_chains SET state = 'open' WHERE id <= 40").run()
    await reopen(() => [])
    expect(await records()).toBe(12)
  })
})
