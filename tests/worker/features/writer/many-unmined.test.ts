import { env } from 'cloudflare:test'
import { beforeEach, expect, it, vi } from 'vitest'
import { selectUnmined } from '../../../../worker/features/transactions/sql/transactions.ts'
import { add, addMany, clear } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const COUNT = 9_000

beforeEach(async () => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  await chain.work('Bitcoin')
  await clear('transactions', 'tx_chains')
  await add('tx_chains', { id: 1, coin_txid: 'a', coin_script: '00', script: '00' })
  await addMany('transactions', COUNT, {
    ...{ txid: "printf('%064x', n)", seq: `${COUNT} - n`, item_id: "printf('%024x', n)", item_index: '0' },
    ...{ bundle: "'writer/Bitcoin/65f0a1b2c3d4e5f601020304'", length: '280', vsize: '195' },
    ...{ fee: "'9750'", change_vout: '1', change_value: "'99999999'" },
    ...{ state: "iif(n % 2, 'sent', 'signed')", attempts: '1', sent_height: '90', checked_height: '90' },
  })
})

it('thousands of transactions without a block are all read, in the order of their tx chains', async () => {
  const unmined = await selectUnmined(env.DB, 'Bitcoin')
  expect(unmined.map(({ seq }) => seq)).toEqual(Array.from({ length: COUNT }, (_, seq) => seq))
})

it('a step with so many comes to its end', async () => {
  await chain.confirm('Bitcoin')
  const stepped = await env.DB.prepare("SELECT tip_hash FROM chain_states WHERE blockchain = 'Bitcoin'").first(
    'tip_hash',
  )
  expect(stepped).toBe(chain.call('Bitcoin', 'getbestblockhash'))
})
