import { describe, expect, it } from 'vitest'
import { parsePeppers } from '../../../../worker/platform/config/password-peppers.ts'

const pepper = (fill: number) => Buffer.alloc(32, fill).toString('base64url')

describe('the peppers', () => {
  it('are none where the setting is', () => {
    expect([undefined, '', ' '].map(parsePeppers)).toEqual(new Array(3).fill({ current: undefined, known: [] }))
  })

  it('are all known, and the first makes new hashes', () => {
    const { current, known } = parsePeppers(`${pepper(1)}, ${pepper(2)}`)
    expect(known.map(({ secret }) => secret[0])).toEqual([1, 2])
    expect(current).toBe(known[0])
  })

  it('have names that are made of them, wherever they stand', () => {
    const [one, two] = parsePeppers(`${pepper(1)},${pepper(2)}`).known
    expect(parsePeppers(`${pepper(2)},${pepper(1)}`).known).toEqual([two, one])
    expect(one?.id).not.toBe(two?.id)
    expect(one?.id).toMatch(/^[\w+/]{11}$/)
  })

  it('make no new hashes behind "none"', () => {
    expect(parsePeppers(`none,${pepper(1)}`)).toMatchObject({ current: undefined, known: [{}] })
  })

  it.each([
    ['a short one', Buffer.alloc(31, 1).toString('base64url'), /less than 32 bytes at place 1/],
    ['no base64url', `${pepper(1)},x y`, /no base64url at place 2/],
    ['padding', `${pepper(1)}=`, /no base64url/],
    ['unused bits', `${'A'.repeat(42)}B`, /no base64url/],
    ['one that is empty', `${pepper(1)},`, /no base64url at place 2/],
    ['"none" behind another', `${pepper(1)},none`, /less than 32 bytes at place 2/],
    ['one twice', `${pepper(1)},${pepper(1)}`, /twice/],
    ['nine', [1, 2, 3, 4, 5, 6, 7, 8, 9].map(pepper).join(','), /more than 8/],
  ])('are refused with %s, without any of the secrets in the message', (_, text, problem) => {
    expect(() => parsePeppers(text)).toThrow(problem)
    expect(() => parsePeppers(text)).not.toThrow(pepper(1))
  })
})
