import { env } from 'cloudflare:test'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { acceptChain } from '../../../../worker/features/operate/accept-chain.ts'
import { selectSendScan, upsertSendScanStatement } from '../../../../worker/features/operate/sql/sends.ts'
import { requestContext } from '../../../../worker/features/payments/payment-context.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add, clear, list, read } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'

const chain = useDevnet()
const TABLES = ['outputs', 'transactions', 'lanes', 'blocks', 'wallet_scans', 'send_scans', 'chain_states']
beforeEach(() => clear(...TABLES))
afterEach(() => clear(...TABLES))

it('takes what is in blocks above the one that both chains share off the chain, wherever it begins to follow', async () => {
  chain.mine('Bitcoin', 20)
  const shared = String(chain.call('Bitcoin', 'getblockhash', [2]))
  await add('blocks', { height: 9, hash: 'f'.repeat(64) })
  await add('outputs', { txid: 'shared', block_height: 2, block_hash: shared })
  for (const height of [3, 6, 8])
    await add('outputs', { txid: `lost-${height}`, block_height: height, block_hash: 'e' })
  await add('lanes', { id: 1 })
  await add('transactions', { txid: 'written', state: 'mined', block_height: 6, block_hash: 'e' })
  const context = requestContext(env.DB, readConfig(env))
  expect(await acceptChain(context, 'Bitcoin', 12, () => [])).toMatchObject({ height: 12 })
  expect(await read('outputs', 'txid', 'block_height')).toEqual({
    ...{ shared: 2, 'lost-3': null, 'lost-6': null, 'lost-8': null },
  })
  expect([await list('transactions', 'state'), await list('blocks', 'height')]).toEqual([['sent'], [12]])
})

it('has what left the wallet compared again from the block that both chains share, wherever it begins to follow', async () => {
  chain.mine('Bitcoin', 20)
  const hash = String(chain.call('Bitcoin', 'getblockhash', [2]))
  await add('blocks', { height: 30, hash: 'f'.repeat(64) })
  await add('outputs', { txid: 'shared', block_height: 2, block_hash: hash })
  await upsertSendScanStatement(env.DB, 'Bitcoin', { height: 30, hash: 'f'.repeat(64) }, 7).run()
  await acceptChain(requestContext(env.DB, readConfig(env)), 'Bitcoin', 12, () => [])
  expect(await selectSendScan(env.DB, 'Bitcoin')).toEqual({ height: 2, hash, comparedAt: 7 })
})
