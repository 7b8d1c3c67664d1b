import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { selectChainState } from '../../../worker/chain/follower/chain-states.ts'
import { storedNumbers } from '../../../worker/chain/follower/payout-numbers.ts'
import type { Api } from '../features/items/api.ts'
import { askPayment, mergedItem, newUser, showItem } from '../features/payments/pay-for-items.ts'
import { useDevnet } from '../use-devnet.ts'

const chain = useDevnet({ agents: 'awake' })

const agent = () => env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName('Bitcoin'))
const dueAlarm = async () => await runInDurableObject(agent(), async (_, { storage }) => await storage.getAlarm())

async function payFor(api: Api): Promise<string> {
  const id = await mergedItem(api, 'Bitcoin')
  const { address, amount } = await askPayment(api, [id], 'Bitcoin')
  chain.pay('Bitcoin', address, amount)
  return id
}

/** Mines until the item is stored; what happens between the blocks is the agent's own doing. */
async function untilStored(api: Api, id: string): Promise<void> {
  const stored = async () => {
    chain.mine('Bitcoin')
    expect(await showItem(api, id)).toMatchObject({ status: '200 OK' })
  }
  await vi.waitFor(stored, { timeout: 60_000, interval: 400 })
}

describe('the agent of a chain', () => {
  it('goes on after its process was killed', async () => {
    const { api } = await newUser()
    const id = await payFor(api)
    await evictDurableObject(agent())
    await agent().wake()
    await untilStored(api, id)
  })

  it('keeps the higher number of payouts where two looks at it overlap', async () => {
    const stored = await runInDurableObject(agent(), async (_, { storage }) => {
      const numbers = storedNumbers(storage)
      await Promise.all([numbers.write(1_000_007), numbers.write(1_000_006)])
      const kept = await numbers.read()
      await storage.delete('payouts')
      return kept
    })
    expect(stored).toBe(1_000_007)
  })

  it('takes an item from payment to 200 OK by its alarms alone, and then rests', async () => {
    const { api } = await newUser()
    await untilStored(api, await payFor(api))
    // An address is watched closely for an hour.
    await env.DB.prepare('UPDATE addresses SET created_at = 0').run()
    await vi.waitFor(async () => expect(await dueAlarm()).toBeNull(), { timeout: 60_000, interval: 200 })
  })

  it('goes on after the node was away', async () => {
    const { api } = await newUser()
    const id = await payFor(api)
    chain.breakNodes(true)
    await runDurableObjectAlarm(agent())
    expect(await dueAlarm()).not.toBeNull()
    const problem = async () => (await selectChainState(env.DB, 'Bitcoin')).problem
    await vi.waitFor(async () => expect(await problem()).toEqual(expect.any(String)), {
      timeout: 60_000,
      interval: 200,
    })
    chain.breakNodes(false)
    // Not to wait until it is due.
    await runDurableObjectAlarm(agent())
    await untilStored(api, id)
  })
})
