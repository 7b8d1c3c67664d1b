import { describe, expect, it } from 'vitest'
import { Repeats } from './repeats.ts'

const READ = ['SELECT a FROM t WHERE b = ?', 1]
const WRITE = ['UPDATE t SET a = ?', 'x']

/** What was found after each of these effects. */
function noteAll(effects: readonly unknown[][], begins?: string): (string | undefined)[] {
  const repeats = new Repeats(begins)
  return effects.map((effect) => repeats.note(effect))
}

describe('what a task does twice in a row', () => {
  it('is found, be it one effect or several', () => {
    expect(noteAll([WRITE, WRITE])).toEqual([undefined, 'UPDATE t SET a = ? x'])
    expect(noteAll([READ, WRITE, READ, WRITE]).at(-1)).toBe('SELECT a FROM t WHERE b = ? 1 | UPDATE t SET a = ? x')
  })

  it('is not found where a value differs, or another effect is between', () => {
    expect(noteAll([WRITE, ['UPDATE t SET a = ?', 'y']])).toEqual([undefined, undefined])
    expect(noteAll([WRITE, ['UPDATE t SET a = ?', 'x', 1]])).toEqual([undefined, undefined])
    expect(noteAll([WRITE, READ, WRITE])).toEqual([undefined, undefined, undefined])
  })

  it('may be reads', () => {
    expect(noteAll([READ, READ, ['R2 get a'], ['R2 get a']])).toEqual(Array(4).fill(undefined))
  })

  it('counts anew from what each round begins with, also where that is within a batch', () => {
    const round = [['SELECT 1', 'INSERT INTO u SELECT 1 FROM chain_states'], WRITE]
    expect(noteAll([...round, ...round], 'FROM chain_states')).toEqual(Array(4).fill(undefined))
  })

  it('is found in spite of the random part of the place of signed bytes', () => {
    expect(noteAll([['R2 put writer/Bitcoin/a-1'], ['R2 put writer/Bitcoin/b-2']])).toEqual([
      undefined,
      'R2 put writer/Bitcoin/*',
    ])
  })
})
