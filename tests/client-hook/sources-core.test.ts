import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseGateways } from '../../client-hook/gateways.ts'
import { continueRace, type Race, type RaceEvent, startRace } from '../../client-hook/sources/race.ts'
import { addFaultySource, orderSources } from '../../client-hook/sources/source-fetcher.ts'

describe('data-gateways', () => {
  it('is a list of origins, with spaces of any kind between them and a slash behind them or none', () => {
    expect(parseGateways('')).toEqual([])
    expect(parseGateways('\n https://b.example\t https://C.example:8443/ ')).toEqual([
      'https://b.example',
      'https://c.example:8443',
    ])
  })

  it.each([
    'http://127.0.0.1:8787',
    'http://localhost',
    'http://api.localhost:1',
    'http://[::1]:8787',
    'http://127.9.9.9',
  ])('takes %s, which is loopback, by plain http', (origin) => expect(parseGateways(origin)).toEqual([origin]))

  it.each([
    'b.example',
    'https://',
    'http://b.example',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'https://b.example/ipfs',
    'https://b.example?a',
    'https://b.example#a',
    'https://ada:secret@b.example',
    'javascript:alert(1)',
    'data:text/plain,a',
    'blob:https://b.example/1',
    'file:///etc',
    'https://b.example, https://c.example',
  ])('does not take %s', (text) => expect(parseGateways(`https://a.example ${text}`)).toBeUndefined())

  it('takes eight, and not nine', () => {
    const origins = Array.from({ length: 9 }, (_, index) => `https://g${index}.example`)
    expect(parseGateways(origins.slice(1).join(' '))).toEqual(origins.slice(1))
    expect(parseGateways(origins.join(' '))).toBeUndefined()
  })
})

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'), { minLength: 1 })

describe('the order of sources', () => {
  it('is that in which they are named, each once, with those that have lied behind, the latest last', () => {
    expect(orderSources(['api', 'own', 'api', 'page', 'own'], [])).toEqual(['api', 'own', 'page'])
    const liars = addFaultySource(addFaultySource(addFaultySource([], 'api'), 'own'), 'api')
    expect(orderSources(['api', 'own', 'page'], liars)).toEqual(['page', 'own', 'api'])
    expect(orderSources(['page'], liars)).toEqual(['page'])
  })

  it('leaves none out and adds none, whoever has lied', () => {
    fc.assert(
      fc.property(names, fc.array(fc.constantFrom('a', 'b', 'c', 'z')), (named, lies) => {
        const liars = lies.reduce(addFaultySource, [])
        const order = orderSources(named, liars)
        expect([...order].sort()).toEqual([...named].sort())
        const honest = named.filter((name) => !liars.includes(name))
        expect(order.slice(0, honest.length)).toEqual(honest)
      }),
    )
  })

  it('has the API host and eight more at most', () => {
    const many = Array.from({ length: 17 }, (_, index) => `g${index}`)
    expect(orderSources(many, [])).toEqual(many.slice(0, 9))
  })
})

const events = fc.array(
  fc.oneof(
    fc.constant({ type: 'silence' } as const),
    fc.record({ type: fc.constant('arrival' as const), source: fc.nat(9) }),
    fc.record({ type: fc.constant('failure' as const), source: fc.nat(9), final: fc.boolean() }),
  ),
  { maxLength: 40 },
)

/** Runs a race of these sources; a number names one of those that are asked at that moment. */
function run(sources: string[], list: typeof events extends fc.Arbitrary<infer Each> ? Each : never, silent: string[]) {
  const states: Race[] = [startRace(sources, new Set(silent))]
  const told: RaceEvent[] = []
  for (const each of list) {
    const race = states.at(-1)
    if (!race) continue
    const source = 'source' in each ? (race.asked[each.source % race.asked.length] ?? '') : ''
    const event: RaceEvent =
      each.type === 'silence'
        ? each
        : each.type === 'failure'
          ? { ...each, source, error: `error of ${source}` }
          : { ...each, source }
    told.push(event)
    states.push(continueRace(race, event, new Set(silent)))
  }
  return { states, told, last: states.at(-1) ?? startRace([], new Set()) }
}

describe('the race of sources for one body', () => {
  it('asks the next at a failure, and beside the others in silence', () => {
    const race = startRace(['a', 'b', 'c'], new Set())
    expect(race.asked).toEqual(['a'])
    const silent = continueRace(race, { type: 'silence' }, new Set())
    expect(silent.asked).toEqual(['a', 'b'])
    const failed = continueRace(silent, { type: 'failure', source: 'a', error: 'gone', final: false }, new Set())
    expect(failed.asked).toEqual(['b', 'c'])
    expect(continueRace(failed, { type: 'arrival', source: 'c' }, new Set()).outcome).toEqual({ won: 'c' })
  })

  it('asks one more at once beside one that was silent the last time', () => {
    expect(startRace(['a', 'b', 'c'], new Set(['a', 'b'])).asked).toEqual(['a', 'b'])
    expect(startRace(['a', 'b', 'c'], new Set(['b'])).asked).toEqual(['a'])
  })

  it('ends with what the first threw where all fail, and at once with what is final', () => {
    const fail = (source: string, final: boolean) =>
      ({ type: 'failure', source, error: `${source} failed`, final }) as const
    const first = continueRace(startRace(['a', 'b'], new Set()), fail('a', false), new Set())
    expect(first.outcome).toBeUndefined()
    expect(continueRace(first, fail('b', false), new Set()).outcome).toEqual({ error: 'a failed' })
    expect(continueRace(first, fail('b', true), new Set()).outcome).toEqual({ error: 'b failed' })
  })

  it('asks every source once at most and in order, and never more than its events allow', () => {
    fc.assert(
      fc.property(names, events, fc.subarray(['a', 'b', 'c']), (sources, list, silent) => {
        const { states, told } = run(sources, list, silent)
        const asked: string[] = []
        for (const [index, { asked: now, waiting }] of states.entries()) {
          for (const source of now) if (!asked.includes(source)) asked.push(source)
          // Those asked so far and those that wait are all of them, in their order.
          expect([...asked, ...waiting]).toEqual(sources)
          const reasons = 1 + told.slice(0, index).filter(({ type }) => type !== 'arrival').length
          expect(asked.length).toBeLessThanOrEqual(2 * reasons)
        }
      }),
    )
  })

  it('ends where a source has it, where one may not serve it, and where all have failed, and nowhere else', () => {
    fc.assert(
      fc.property(names, events, (sources, list) => {
        const { states, told, last } = run(sources, list, [])
        const end = told.findIndex((event, index) => {
          const race = states[index]
          if (!race || event.type === 'silence' || !race.asked.includes(event.source)) return false
          return event.type === 'arrival' || event.final || (race.asked.length === 1 && race.waiting.length === 0)
        })
        expect(last.outcome !== undefined).toBe(end >= 0)
        // Nothing moves it afterwards.
        if (end >= 0) expect(states.slice(end + 1).every((state) => state === last)).toBe(true)
        else expect(last.asked.length).toBeGreaterThan(0)
      }),
    )
  })
})
