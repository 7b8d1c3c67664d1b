import { env } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { eachRecord, isOutage, mustWait, NOT_TRIED } from '../../../../worker/chain/follower/each-record.ts'
import { selectFailedRecords } from '../../../../worker/chain/follower/failed-records.ts'
import { NodeError } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { contextOf } from '../../agent-contexts.ts'
import { useDevnet } from '../../use-devnet.ts'

useDevnet()
const NOW = 1_800_000_000_000

const aside = async () =>
  (await selectFailedRecords(env.DB, 'Bitcoin', 'item')).map(({ id, tries, retryAt }) => [id, tries, retryAt])

/** Works on records at a time, of which those of `bad` fail; says which were worked on. */
async function work(now: number, ids: readonly string[], bad: readonly string[]): Promise<string[]> {
  const worked: string[] = []
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  await eachRecord(
    contextOf('Bitcoin', now),
    'item',
    ids.map((id) => ({ id })),
    async ({ id }) => {
      worked.push(id)
      if (bad.includes(id)) throw new Error('bad')
    },
  )
  log.mockRestore()
  return worked
}

describe('records that fail', () => {
  it('wait two seconds, then four, and stop no other; what succeeds or is gone is forgotten', async () => {
    expect(await work(NOW, ['a', 'b'], ['a'])).toEqual(['a', 'b'])
    expect(await aside()).toEqual([['a', 1, NOW + 2_000]])
    expect(await work(NOW + 1_999, ['a', 'b'], ['a'])).toEqual(['b'])
    expect(await work(NOW + 2_000, ['a', 'b'], ['a'])).toEqual(['a', 'b'])
    expect(await aside()).toEqual([['a', 2, NOW + 6_000]])
    expect(await work(NOW + 6_000, ['a', 'b'], ['b'])).toEqual(['a', 'b'])
    expect(await aside()).toEqual([['b', 1, NOW + 8_000]])
    expect(await work(NOW + 6_001, [], [])).toEqual([])
    expect(await aside()).toEqual([])
  })

  it('are not forgotten by a look at others alone, where there are more than one look takes', async () => {
    await work(NOW, ['p', 'q'], ['p', 'q'])
    await eachRecord(contextOf('Bitcoin', NOW + 2_000), 'item', [{ id: 'q' }], async () => {}, { whole: false })
    expect(await aside()).toEqual([['p', 1, NOW + 2_000]])
    await work(NOW + 2_000, [], [])
    expect(await aside()).toEqual([])
  })

  it('stay as they are where there was no time for them', async () => {
    await work(NOW, ['t'], ['t'])
    await eachRecord(contextOf('Bitcoin', NOW + 2_000), 'item', [{ id: 't' }], async () => NOT_TRIED)
    expect(await aside()).toEqual([['t', 1, NOW + 2_000]])
    await work(NOW + 2_000, [], [])
  })

  it('are not recorded as failed when it is the node that is away: that is no fault of theirs', async () => {
    const failing = eachRecord(contextOf('Bitcoin', NOW), 'item', [{ id: 'c' }], async () => {
      throw new NodeError('timeout', 'The node did not answer.')
    })
    await expect(failing).rejects.toThrow('did not answer')
    expect(await aside()).toEqual([])
    expect(isOutage(new NodeError('busy', ''))).toBe(true)
    expect(isOutage(new NodeError('invalid_response', ''))).toBe(false)
    expect(isOutage(new Error('timeout'))).toBe(false)
  })

  it('wait ten minutes at most, and not at all when the clock went back behind what they were told', () => {
    const waits = (tries: number, retryAt: number) => mustWait({ tries, retryAt }, NOW)
    expect([waits(1, NOW), waits(1, NOW + 1), waits(1, NOW + 2_000), waits(1, NOW + 2_001)]).toEqual([
      ...[false, true, true, false],
    ])
    expect([waits(9, NOW + 512_000), waits(9, NOW + 512_001)]).toEqual([true, false])
    expect([waits(10, NOW + 600_000), waits(10, NOW + 600_001)]).toEqual([true, false])
    expect([waits(1_000, NOW + 600_000), waits(1_000, NOW + 600_001)]).toEqual([true, false])
  })
})
