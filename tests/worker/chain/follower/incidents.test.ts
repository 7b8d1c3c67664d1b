import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  deleteIncidentStatement,
  insertIncidentStatement,
  selectIncidents,
} from '../../../../worker/chain/follower/incidents.ts'
import { clear } from '../../rows.ts'

const { DB } = env
const first = { code: 'tx_chains_full', reason: 'first', since: 1 } as const

beforeEach(async () => {
  await clear('incidents')
  await insertIncidentStatement(DB, 'Bitcoin', first).run()
})

describe('an incident', () => {
  it('that lasts says its latest reason, since when it began, unless its reason is to stay', async () => {
    await insertIncidentStatement(DB, 'Bitcoin', { ...first, reason: 'kept out', since: 2 }, { keep: true }).run()
    expect(await selectIncidents(DB, 'Bitcoin')).toEqual([first])
    await insertIncidentStatement(DB, 'Bitcoin', { ...first, reason: 'second', since: 2 }).run()
    expect(await selectIncidents(DB, 'Bitcoin')).toEqual([{ ...first, reason: 'second' }])
    const { meta } = await insertIncidentStatement(DB, 'Bitcoin', { ...first, reason: 'second', since: 3 }).run()
    expect([meta.changes, await selectIncidents(DB, 'Dogecoin')]).toEqual([0, []])
  })

  it('ends alone, of its chain, and for a reason only where that is its own', async () => {
    await insertIncidentStatement(DB, 'Dogecoin', first).run()
    await insertIncidentStatement(DB, 'Bitcoin', { ...first, code: 'not_moved' }).run()
    await deleteIncidentStatement(DB, 'Bitcoin', first.code, 'another').run()
    expect(await selectIncidents(DB, 'Bitcoin')).toHaveLength(2)
    await deleteIncidentStatement(DB, 'Bitcoin', first.code, first.reason).run()
    expect(await selectIncidents(DB, 'Bitcoin')).toEqual([{ ...first, code: 'not_moved' }])
    await deleteIncidentStatement(DB, 'Bitcoin', 'not_moved').run()
    expect([await selectIncidents(DB, 'Bitcoin'), await selectIncidents(DB, 'Dogecoin')]).toEqual([[], [first]])
  })
})
