import { env, runInDurableObject } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { ChainAgent } from '../../../worker/agent/chain-agent.ts'
import { wakeAgents } from '../../../worker/agent/wake-agents.ts'
import { selectChainState } from '../../../worker/chain/follower/chain-states.ts'
import { addWebhook } from '../../../worker/features/events/add-webhook.ts'
import { readConfig } from '../../../worker/platform/config/read-config.ts'
import { insertEventStatement } from '../../../worker/platform/records/event-queue.ts'
import { askedTwice, noted } from '../noted-calls.ts'
import { addUser } from '../sign-in.ts'

// No alarm that is set here is ever due.
const NOW = Date.now() + 86_400_000

/** What receivers of webhooks were told; they answer when `answer` does. No node does. */
const told: string[] = []
let answer = async () => new Response(null, { status: 204 })

/** An agent object whose calls of D1 are noted, and whose alarm a test calls; what goes on after an alarm is in `after`. */
async function withAgent(work: (agent: ChainAgent, seen: { calls: string[]; after: unknown[] }) => Promise<void>) {
  vi.spyOn(Date, 'now').mockReturnValue(NOW)
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (!String(input).startsWith('https://shop.example.com')) throw new TypeError('no node')
    told.push(JSON.parse(String(init?.body)).data.id)
    return await answer()
  })
  const stub = env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName('Bitcoin'))
  await runInDurableObject(stub, async (_, state) => {
    const { context, calls } = noted()
    const after: unknown[] = []
    vi.spyOn(state, 'waitUntil').mockImplementation((promise) => void after.push(promise))
    await work(new ChainAgent(state, { ...env, DB: context.db }), { calls, after })
    expect(await state.storage.getAlarm()).toBe(NOW + 5_000)
    await state.storage.deleteAlarm()
  })
  vi.restoreAllMocks()
}

it('an agent whose step fails says so once, and looks again in five seconds', async () => {
  await withAgent(async (agent, { calls, after }) => {
    await agent.alarm()
    await Promise.all(after)
    expect(askedTwice(calls)).toEqual([])
  })
  expect((await selectChainState(env.DB, 'Bitcoin')).problem).toEqual(expect.any(String))
})

it('webhooks are told once after each alarm, and while one telling lasts no other begins', async () => {
  const { userId } = await addUser()
  const happen = (id: string) =>
    insertEventStatement(env.DB, {
      ...{ userId, type: 'item.stored', subject: id, data: JSON.stringify({ id }), at: NOW },
    }).run()
  const { tokenKeys } = readConfig(env)
  const url = 'https://shop.example.com/hook'
  const caller = { userId, tokenEpoch: 0, key: undefined }
  await addWebhook(env.DB, { webhookLoopback: false, tokenKeys }, caller, { url }, NOW - 1)
  await withAgent(async (agent, { calls, after }) => {
    const tellings = () => calls.filter((call) => call.includes('FROM webhooks')).length
    await agent.alarm()
    await Promise.all(after)
    expect([told, askedTwice(calls)]).toEqual([[], []])
    await happen('first')
    const { promise, resolve } = Promise.withResolvers<Response>()
    answer = async () => await promise
    await agent.alarm()
    await vi.waitFor(() => expect(told).toEqual(['first']), { timeout: 60_000 })
    const before = tellings()
    await agent.alarm()
    await after.at(-1)
    expect(tellings()).toBe(before)
    resolve(new Response())
    await Promise.all(after)
    await happen('second')
    await agent.alarm()
    await Promise.all(after)
    expect(told).toEqual(['first', 'second'])
  })
})

it('the clock wakes the agents of all chains that a node is run for', async () => {
  const wake = vi.spyOn(ChainAgent.prototype, 'wake').mockResolvedValue(undefined)
  await wakeAgents({ ...env, RPC_DOGECOIN: '' })
  expect(wake).toHaveBeenCalledTimes(2)
})

it.each([
  ['that has none', undefined, [NOW]],
  ['whose alarm is due now', 0, []],
  ['whose alarm is due within two seconds', 2_000, []],
  ['whose alarm is due later', 2_001, [NOW]],
  ['whose alarm is overdue, and may have been lost', -1, [NOW]],
])('an agent %s looks soon when it is woken', async (_, due, expected) => {
  vi.restoreAllMocks()
  vi.spyOn(Date, 'now').mockReturnValue(NOW)
  const stub = env.CHAIN_AGENT.get(env.CHAIN_AGENT.idFromName('Bitcoin'))
  await runInDurableObject(stub, async (_agent, state) => {
    vi.spyOn(state.storage, 'getAlarm').mockResolvedValue(due === undefined ? null : NOW + due)
    const set = vi.spyOn(state.storage, 'setAlarm').mockResolvedValue()
    await new ChainAgent(state, env).wake()
    expect(set.mock.calls).toEqual(expected.map((time) => [time]))
  })
  vi.restoreAllMocks()
})
