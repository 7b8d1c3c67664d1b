import { env } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { PRESENT_NODES } from '../../../devnet/node-settings.ts'
import { noise } from '../items/api.ts'
import { newUser, paidItem, showItem } from '../payments/pay-for-items.ts'
import { useDevnet } from '../use-devnet.ts'

const chain = useDevnet()
vi.spyOn(console, 'warn').mockImplementation(() => {})

const states = async () =>
  (
    await env.DB.prepare(
      "SELECT item_id IS NULL AS bump, state FROM transactions WHERE state != 'dead' ORDER BY seq",
    ).all()
  ).results

/** Has the mempool ask more than a transaction pays, which leaves; a block that holds nothing of it comes. */
async function fillMempool(txid: string): Promise<void> {
  const node = chain.devnet.node('Bitcoin')
  chain.evict('Bitcoin', txid)
  node.mempool.minFeeRate = 8_000n
  node.mine(Uint8Array.of(0x51), { empty: true })
  node.mempool.minFeeRate = 8_000n
  await chain.work('Bitcoin')
}

it('sends what a full mempool has thrown out with the one that pays for both, as a package, where nodes take those', async () => {
  chain.devnet.node('Bitcoin').reconfigure(PRESENT_NODES.Bitcoin)
  const { api } = await newUser()
  const id = await paidItem(chain, api, 'Bitcoin', noise(60))
  const [txid = ''] = Object.keys(Object(chain.call('Bitcoin', 'getrawmempool', [true])))
  await fillMempool(txid)
  expect(await states()).toEqual([
    { bump: 0, state: 'sent' },
    { bump: 1, state: 'sent' },
  ])
  expect(Object.keys(Object(chain.call('Bitcoin', 'getrawmempool', [true])))).toContain(txid)
  for (let block = 0; block < 3; block++) {
    chain.mine('Bitcoin')
    await chain.work('Bitcoin')
  }
  expect(await showItem(api, id)).toMatchObject({ status: '200 OK', txids: [txid] })
})
