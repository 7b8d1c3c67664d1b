import { expect, it, vi } from 'vitest'
import { PRESENT_NODES } from '../../../../devnet/node-settings.ts'
import { runSql } from '../../rows.ts'
import { useDevnet } from '../../use-devnet.ts'
import { noise } from '../items/api.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'

const chain = useDevnet()
vi.spyOn(console, 'warn').mockImplementation(() => {})

const states = async () =>
  await runSql("SELECT item_id IS NULL AS bump, state FROM transactions WHERE state != 'dead' ORDER BY seq")

const waiting = () => Object.keys(Object(chain.call('Bitcoin', 'getrawmempool', [true])))

/** Has the mempool ask more than transactions pay, which leave; a block that holds nothing of it comes. */
async function fillMempool(...txids: string[]): Promise<void> {
  const node = chain.devnet.node('Bitcoin')
  for (const txid of txids) chain.evict('Bitcoin', txid)
  node.mempool.minFeeRate = 8_000n
  node.mine(Uint8Array.of(0x51), { empty: true })
  node.mempool.minFeeRate = 8_000n
  await chain.work('Bitcoin')
}

it('sends what a full mempool has thrown out with the one that pays for both, as a package, where nodes take those', async () => {
  chain.devnet.node('Bitcoin').reconfigure(PRESENT_NODES.Bitcoin)
  const { api } = await newUser()
  const id = await paidItem(chain, api, 'Bitcoin', noise(60))
  const [txid = ''] = waiting()
  await fillMempool(txid)
  expect(await states()).toEqual([
    { bump: 0, state: 'sent' },
    { bump: 1, state: 'sent' },
  ])
  expect(waiting()).toContain(txid)
  await chain.mineAndWork('Bitcoin', 3)
  expect(await showItem(api, id)).toMatchObject({ status: '200 OK', txids: [txid] })
})

it('has a longer tx chain wait until the mempool has room: a package is a child with its parents, and no chain', async () => {
  const node = chain.devnet.node('Bitcoin')
  node.reconfigure(PRESENT_NODES.Bitcoin)
  const { api } = await newUser()
  const id = await paidItem(chain, api, 'Bitcoin', noise(1_000))
  const txids = waiting()
  const results = await runSql<{ length: number }>(
    `SELECT COUNT(*) AS length FROM transactions WHERE state = 'sent' GROUP BY tx_chain ORDER BY length DESC`,
  )
  expect(results[0]?.length).toBeGreaterThan(2)
  const asked = vi.spyOn(chain.devnet, 'handle')
  await fillMempool(...txids.toReversed())
  await chain.work('Bitcoin')
  expect(waiting()).toEqual([])
  expect(asked.mock.calls.some(([, request]) => request.includes('submitpackage'))).toBe(false)
  expect(await showItem(api, id)).toMatchObject({ status: '202 Accepted' })

  node.mempool.minFeeRate = 0n
  await chain.mineAndWork('Bitcoin', 4)
  const { status, txids: written } = await showItem(api, id)
  expect(status).toBe('200 OK')
  expect([...Object(written)].sort()).toEqual([...txids].sort())
})
