import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  deleteStopsStatement,
  followAgentStatements,
  insertStopStatement,
  noteAgentStatement,
  selectNotedAgent,
  selectStoppedParts,
  selectStops,
} from '../../../../worker/chain/follower/stops.ts'
import { add, clear, read } from '../../rows.ts'

const { DB } = env
const restored = (blockchain: string, number: number | null = null) =>
  add('stops', { blockchain, part: 'payouts', cause: 'restored', reason: 'old', since: 1, number })

beforeEach(() => clear('stops', 'payout_numbers'))

describe('a stop', () => {
  it('of a part for a cause stays as it was first made', async () => {
    const stop = { part: 'payouts', cause: 'hand', reason: 'first', since: 1 } as const
    await insertStopStatement(DB, 'Bitcoin', stop).run()
    await insertStopStatement(DB, 'Bitcoin', { ...stop, reason: 'second', since: 2 }).run()
    expect(await selectStops(DB, 'Bitcoin')).toEqual([stop])
    expect([await selectStoppedParts(DB, 'Bitcoin'), await selectStoppedParts(DB, 'Dogecoin')]).toEqual([
      new Set(['payouts']),
      new Set(),
    ])
  })

  it('is ended of one chain, one part, and the causes that are named', async () => {
    const stop = { blockchain: 'Bitcoin', part: 'payouts', cause: 'hand', reason: '', since: 1 }
    await add('stops', stop, { ...stop, cause: 'restored' }, { ...stop, part: 'writing' })
    await add('stops', { ...stop, blockchain: 'Dogecoin' })
    await deleteStopsStatement(DB, 'Bitcoin', 'payouts', ['hand']).run()
    const left = async () => Object.keys(await read('stops', "blockchain || ' ' || part || ' ' || cause", 'since'))
    expect(await left()).toEqual(['Bitcoin payouts restored', 'Bitcoin writing hand', 'Dogecoin payouts hand'])
  })
})

describe('the number of payouts that an agent had when it found the database restored', () => {
  it('is kept with the stop for that, of its chain, and with no other', async () => {
    await restored('Bitcoin')
    await restored('Dogecoin')
    const stop = { blockchain: 'Bitcoin', reason: '', since: 1 }
    await add('stops', { ...stop, part: 'payouts', cause: 'hand' }, { ...stop, part: 'writing', cause: 'restored' })
    await noteAgentStatement(DB, 'Bitcoin', { number: 7, mark: 'own' }).run()
    expect(await read('stops', "blockchain || ' ' || part || ' ' || cause", 'number')).toEqual({
      ...{ 'Bitcoin payouts hand': null, 'Bitcoin payouts restored': 7, 'Bitcoin writing restored': null },
      'Dogecoin payouts restored': null,
    })
    expect([await selectNotedAgent(DB, 'Bitcoin'), await selectNotedAgent(DB, 'Dogecoin')]).toEqual([
      { number: 7, mark: 'own' },
      undefined,
    ])
  })

  it('is not taken from a stop for something else', async () => {
    const stop = { blockchain: 'Bitcoin', reason: '', since: 1, number: 9 }
    await add('stops', { ...stop, part: 'payouts', cause: 'hand' }, { ...stop, part: 'writing', cause: 'restored' })
    expect(await selectNotedAgent(DB, 'Bitcoin')).toBeUndefined()
  })

  it('becomes that of the database, which is never lowered by it', async () => {
    await restored('Bitcoin', 7)
    await restored('Dogecoin', 8)
    await restored('Nativecoin', 5)
    await add('stops', {
      ...{ blockchain: 'Bitcoin', part: 'payouts', cause: 'hand', reason: '', since: 1, number: 99 },
    })
    await add('payout_numbers', { blockchain: 'Dogecoin', number: 6 }, { blockchain: 'Nativecoin', number: 6 })
    for (const blockchain of ['Bitcoin', 'Nativecoin'] as const) {
      await DB.batch(followAgentStatements(DB, blockchain))
    }
    expect(await read('payout_numbers', 'blockchain', 'number')).toEqual({ Bitcoin: 7, Dogecoin: 6, Nativecoin: 6 })
  })

  it('changes nothing where it is not known', async () => {
    await restored('Bitcoin')
    await DB.batch(followAgentStatements(DB, 'Bitcoin'))
    expect(await read('payout_numbers', 'blockchain', 'number')).toEqual({})
  })
})
