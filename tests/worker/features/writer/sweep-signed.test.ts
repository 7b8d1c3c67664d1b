import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { signAndStore } from '../../../../worker/features/transactions/sign/sign-and-store.ts'
import type { Plan } from '../../../../worker/features/transactions/sign/tx-chain-plan.ts'
import { deleteFinalBytes } from '../../../../worker/features/writer/follow/delete-final-bytes.ts'
import { sweepSigned } from '../../../../worker/features/writer/follow/sweep-signed.ts'
import { add, addMany, list } from '../../rows.ts'
import { agent, planOne } from '../transactions/signing-agent.ts'

const DAY = 86_400_000
const PREFIX = 'writer/Bitcoin/'

/** Signs and records a plan. */
async function write(plan: Plan, storage: Pick<typeof env, 'DB' | 'BUCKET'> = env): Promise<boolean> {
  return await signAndStore(
    agent(storage),
    plan,
    () => undefined,
    () => [],
  )
}

async function sweep(after: number, storage: Pick<typeof env, 'DB' | 'BUCKET'> = env): Promise<void> {
  await sweepSigned(storage, Date.now() + after, 1)
}

const kept = async () => (await env.BUCKET.list({ prefix: PREFIX })).objects.map(({ key }) => key)

async function bundleOf(plan: Plan): Promise<unknown> {
  const txChain = plan.opened[0]?.id ?? 0
  return (await env.DB.prepare('SELECT bundle FROM transactions WHERE tx_chain = ?').bind(txChain).first())?.bundle
}

/** D1 and R2 with `around` about the calls named, and no others. */
function storageWith(around: (name: string, work: () => Promise<unknown>) => Promise<unknown>) {
  const wrap = <T extends object>(target: T, names: readonly string[]): T =>
    new Proxy(target, {
      get(_, property) {
        const member: unknown = Reflect.get(target, property)
        if (typeof member !== 'function') return member
        const call = async (values: unknown[]) => await Reflect.apply(member, target, values)
        return (...values: unknown[]) => {
          const other = property === 'list' && !JSON.stringify(values).includes(PREFIX)
          if (!names.includes(String(property)) || other) return Reflect.apply(member, target, values)
          return around(String(property), () => call(values))
        }
      },
    })
  return { DB: wrap(env.DB, ['batch']), BUCKET: wrap(env.BUCKET, ['put', 'list', 'delete']) }
}

/** Lets actors do their calls in the order of `turns`, one letter a call. */
function turnstile(turns: string) {
  let order = [...turns]
  const waiting = new Map<string, () => void>()
  const next = () => waiting.get(order[0] ?? '')?.()
  return {
    storage: (actor: string) =>
      storageWith(async (_, work) => {
        if (order[0] !== actor) await new Promise<void>((resolve) => waiting.set(actor, resolve))
        waiting.delete(actor)
        try {
          return await work()
        } finally {
          order.shift()
          next()
        }
      }),
    /** Who is done has no more turns. */
    leave(actor: string): void {
      order = order.filter((other) => other !== actor)
      next()
    },
  }
}

/** All orders of `a` calls of one and `b` of another. */
function interleavings(a: number, b: number): string[] {
  if (a === 0 || b === 0) return ['W'.repeat(a) + 'S'.repeat(b)]
  return [...interleavings(a - 1, b).map((rest) => `W${rest}`), ...interleavings(a, b - 1).map((rest) => `S${rest}`)]
}

describe('sweeping signed bytes', () => {
  it('deletes those whose rows could not be written, a day after', async () => {
    const lost = storageWith(async (name, work) => {
      if (name === 'batch') throw new Error('D1_ERROR: Network connection lost.')
      return await work()
    })
    await expect(write(planOne(), lost)).rejects.toThrow('lost')
    await sweep(DAY / 2)
    expect(await kept()).toHaveLength(1)
    await sweep(2 * DAY)
    expect(await kept()).toEqual([])
  })

  it('deletes those of a plan that came second', async () => {
    const plan = planOne()
    expect(await write(plan)).toBe(true)
    expect(await write(plan)).toBe(false)
    await sweep(2 * DAY)
    expect(await kept()).toEqual([await bundleOf(plan)])
  })

  it('keeps those that a transaction refers to, however old they are', async () => {
    const plan = planOne()
    await write(plan)
    await sweep(1000 * DAY)
    expect(await kept()).toContain(await bundleOf(plan))
  })

  it('finishes what a sweep that died had begun', async () => {
    const lost = storageWith(async (name, work) => {
      if (name !== 'put') throw new Error('D1_ERROR: Network connection lost.')
      return await work()
    })
    await expect(write(planOne(), lost)).rejects.toThrow('lost')
    const before = await kept()
    const dies = storageWith(async (name, work) => {
      if (name === 'delete') throw new Error('R2 is gone')
      return await work()
    })
    await expect(sweep(2 * DAY, dies)).rejects.toThrow('gone')
    expect(await kept()).toEqual(before)
    await sweep(2 * DAY)
    expect((await kept()).length).toBe(before.length - 1)
  })

  it('has a plan that was late signed anew', async () => {
    const plan = planOne()
    const slow = storageWith(async (name, work) => {
      if (name === 'batch') await sweep(2 * DAY)
      return await work()
    })
    expect(await write(plan, slow)).toBe(false)
    expect(await bundleOf(plan)).toBeUndefined()
    expect(await write(plan)).toBe(true)
    expect(await kept()).toContain(await bundleOf(plan))
  })

  it.each(interleavings(2, 3))('never takes those that are about to be referred to: %s', async (turns) => {
    const plan = planOne()
    const { storage, leave } = turnstile(turns)
    const [recorded] = await Promise.all([
      write(plan, storage('W')).finally(() => leave('W')),
      sweep(2 * DAY, storage('S')).finally(() => leave('S')),
    ])
    const bundle = await bundleOf(plan)
    expect(bundle !== undefined).toBe(recorded)
    if (recorded) expect(await kept()).toContain(bundle)
  })
})

describe('signed bytes of transactions that were given up', () => {
  it('are deleted when no block can come to hold them', async () => {
    const plan = planOne()
    await write(plan)
    const bundle = await bundleOf(plan)
    await env.DB.prepare(`UPDATE transactions SET state = 'dead' WHERE bundle = ?`).bind(bundle).run()
    await deleteFinalBytes(agent(env), { height: 1000, hash: '' })
    expect(await kept()).not.toContain(bundle)
  })

  it('are deleted a hundred at a time', async () => {
    await add('tx_chains', { id: 1 })
    const bundle = "'writer/' || n"
    await addMany('signed_bundles', 101, { height: '1', bundle })
    await addMany('transactions', 101, { txid: "'given up ' || n", seq: 'n', bundle, state: "'dead'", dead: '1' })
    const left = async () =>
      (await list('signed_bundles', 'bundle')).filter((name) => /^writer\/\d+$/.test(String(name)))
    await deleteFinalBytes(agent(env), { height: 1000, hash: '' })
    expect(await left()).toHaveLength(1)
    await deleteFinalBytes(agent(env), { height: 1000, hash: '' })
    expect(await left()).toEqual([])
  })
})
