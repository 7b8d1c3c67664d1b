import { describe, expect, it } from 'vitest'
import { runAlarm } from '../../../worker/agent/run-alarm.ts'
import type { StepReport } from '../../../worker/agent/run-step.ts'
import { waitForBlock } from '../../../worker/agent/wait-for-block.ts'
import type { WalletRpc } from '../../../worker/chain/rpc/wallet-rpc.ts'

const START = 1_800_000_000_000
const TIP = { hash: 'aa', height: 1 }

/** A shift in which each step takes so many milliseconds and statements; says when it ended, how, and what it waited. */
async function shift(
  reports: readonly StepReport[],
  { ms = 0, statements = 0, best = { hash: TIP.hash, since: START } } = {},
) {
  let [time, steps] = [START, 0]
  const waits: number[] = []
  const next = await runAlarm(best, {
    step: async () => {
      const report = reports[Math.min(steps++, reports.length - 1)]
      time += ms
      if (!report || steps > 1_000) throw new Error('no more steps')
      return report
    },
    wait: async (_, delay) => {
      waits.push(delay)
      time += delay
    },
    now: () => time,
    statements: () => steps * statements,
  })
  return { next, steps, waits, best }
}

describe('a shift of the agent', () => {
  it('ends where nothing waits, and no alarm is needed', async () => {
    expect(await shift([{ next: 'now' }, { next: 'now' }, { next: 'idle' }])).toMatchObject({
      ...{ next: undefined, steps: 3, waits: [] },
    })
  })

  it('works for 20 seconds, and hands over to the next alarm at once where there is more to do', async () => {
    expect(await shift([{ next: 'now' }], { ms: 1_000 })).toMatchObject({ next: 0, steps: 20, waits: [] })
    expect(await shift([{ next: 'now' }], { ms: 1_001 })).toMatchObject({ next: 0, steps: 20 })
    expect(await shift([{ next: 'now' }], { ms: 999 })).toMatchObject({ next: 0, steps: 21 })
  })

  it('ends with the step that has made 150 statements in all', async () => {
    expect(await shift([{ next: 'now' }], { statements: 50 })).toMatchObject({ next: 0, steps: 3 })
    expect(await shift([{ next: 'now' }], { statements: 49 })).toMatchObject({ next: 0, steps: 4 })
    expect(await shift([{ next: 'now' }], { statements: 150 })).toMatchObject({ next: 0, steps: 1 })
  })

  it('waits between two looks as long as the last block is old, and leaves long waits to the next alarm', async () => {
    const young = await shift([{ next: 'soon', tip: TIP }, { next: 'idle' }])
    expect(young).toMatchObject({ next: undefined, waits: [200] })
    const best = { hash: TIP.hash, since: START - 20_000 }
    expect(await shift([{ next: 'soon', tip: TIP }, { next: 'idle' }], { best })).toMatchObject({ waits: [1_000] })
    const old = { hash: TIP.hash, since: START - 40_000 }
    expect(await shift([{ next: 'soon', tip: TIP }], { best: old })).toMatchObject({ next: 2_000, steps: 1, waits: [] })
    // A step that got to no block says nothing of its age.
    const unknown = { hash: TIP.hash, since: START - 10_000 }
    expect(await shift([{ next: 'soon' }, { next: 'idle' }], { best: unknown })).toMatchObject({ waits: [500] })
  })

  it('counts from when it first saw a block', async () => {
    const best = { hash: 'old', since: 0 }
    const other = { hash: 'bb', height: 2 }
    const reports: StepReport[] = [{ next: 'soon', tip: TIP }, { next: 'soon', tip: other }, { next: 'idle' }]
    expect(await shift(reports, { ms: 100, best })).toMatchObject({ waits: [200, 200] })
    expect(best).toEqual({ hash: 'bb', since: START + 400 })
    const again = { hash: 'bb', since: START }
    await shift([{ next: 'now', tip: other }, { next: 'idle' }], { ms: 100, best: again })
    expect(again).toEqual({ hash: 'bb', since: START })
  })
})

/** Waits of a look that is `delay` milliseconds off, where the node gives these best blocks; nothing for one that fails. */
async function waitsOf(delay: number, tip: typeof TIP | undefined, ...hashes: (string | undefined)[]) {
  const waits: number[] = []
  const methods: string[] = []
  const rpc: WalletRpc = async (calls) => {
    methods.push(...calls.map(({ method }) => method))
    const hash = hashes.shift()
    if (hash === 'refused') return [{ error: { code: -28, message: 'still starting' } }]
    if (hash === undefined) throw new Error('no answer')
    return [{ result: hash }]
  }
  await waitForBlock(rpc, tip, delay, async (ms) => void waits.push(ms))
  expect(methods).toEqual(methods.map(() => 'getbestblockhash'))
  return { waits, asked: methods.length }
}

describe('a look that is near', () => {
  const same = new Array<string>(9).fill(TIP.hash)

  it('comes at once with another block, which is asked for every 40 ms', async () => {
    expect(await waitsOf(200, TIP, ...same)).toEqual({ waits: [40, 40, 40, 40, 40], asked: 5 })
    expect(await waitsOf(200, TIP, TIP.hash, 'bb')).toEqual({ waits: [40, 40], asked: 2 })
    expect(await waitsOf(100, TIP, ...same)).toEqual({ waits: [40, 40, 20], asked: 3 })
    expect(await waitsOf(41, TIP, ...same)).toEqual({ waits: [40, 1], asked: 2 })
  })

  it('is waited for in full where the node does not say so', async () => {
    expect(await waitsOf(200, TIP, TIP.hash, 'refused')).toEqual({ waits: [40, 40, 120], asked: 2 })
    expect(await waitsOf(200, TIP)).toEqual({ waits: [40, 160], asked: 1 })
    expect(await waitsOf(20, TIP)).toEqual({ waits: [20, 0], asked: 1 })
  })

  it('is waited for in full where it is further off, or no block is known', async () => {
    expect(await waitsOf(201, TIP)).toEqual({ waits: [201], asked: 0 })
    expect(await waitsOf(200, undefined)).toEqual({ waits: [200], asked: 0 })
  })
})
