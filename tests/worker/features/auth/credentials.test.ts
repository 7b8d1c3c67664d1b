import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Credentials } from '../../../../contract/account.ts'
import { parse } from '../../../../contract/parse.ts'

/** The patterns of docs/behaviour/tokens.md, anchored because they are matched whole; the free character is of ASCII. */
const EMAIL = String.raw`^(?:[a-z0-9._%+-]+@[a-z0-9.-]+[\x20-\x7e][a-z]{2,4}$)$`
const PASSWORD = String.raw`^(?:(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{6,})$`

const VALID = { email: 'a@b.co', password: 'Abcde1' }
const accepted = (given: Partial<typeof VALID>) => {
  const parsed = parse(Credentials, { ...VALID, ...given })
  return 'output' in parsed ? parsed.output : undefined
}

describe('credentials', () => {
  it('are the emails that the pattern takes after lower-casing, up to 254 characters', () => {
    const part = fc.string({ unit: fc.constantFrom(...'abZ09._%+-@ \n<>é'), maxLength: 8 })
    const likely = fc.tuple(part, part, part).map(([user, host, top]) => `${user}@${host}.${top}`)
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely, fc.emailAddress()), (email) => {
        const lower = email.toLowerCase()
        const fine = new RegExp(EMAIL).test(lower) && !/[<>]/.test(lower) && lower.length <= 254
        const expected = fine ? lower : undefined
        expect(accepted({ email })?.email).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('are the passwords that the pattern takes, up to 1,024 bytes, unchanged', () => {
    const unit = fc.constantFrom('a', 'Z', '0', ' ', '\n', '\u2028', 'é', '👍', '\0')
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit, maxLength: 12 }), fc.string({ unit, minLength: 500 })), (password) => {
        const short = new TextEncoder().encode(password).length <= 1024
        const expected = new RegExp(PASSWORD).test(password) && short ? password : undefined
        expect(accepted({ password })?.password).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['a@b.co', true],
    ['A@B.CO', true],
    ['first.last+tag@sub.example.com', true],
    ['a@bxcom', true],
    ['a@b com', true],
    ['a@b<com', false],
    ['a@b>com', false],
    ['a@b\ncom', false],
    ['a@b\u202ecom', false],
    ['a@bécom', false],
    ['a@b.info', true],
    ['a@b.c', false],
    ['a@b.co ', false],
    ['x a@b.co', false],
    ['@b.co', false],
    ['a@.', false],
    ['ä@b.co', false],
    ['', false],
  ])('of email %j: %s', (email, valid) => {
    expect(accepted({ email }) !== undefined).toBe(valid)
  })

  it.each([
    ['Abcde1', true],
    ['aA1   ', true],
    ['Пароль1aA', true],
    [`aA1${'x'.repeat(1021)}`, true],
    [`aA1${'x'.repeat(1022)}`, false],
    ['Abcd1', false],
    ['abcde1', false],
    ['ABCDE1', false],
    ['Abcdef', false],
    ['Abcde١', false],
    ['Abcde1\n', false],
  ])('of password %j: %s', (password, valid) => {
    expect(accepted({ password }) !== undefined).toBe(valid)
  })

  it('take no longer for an address made to be slow', () => {
    const email = `a@${'b.'.repeat(4000)}`
    const times = Array.from({ length: 5 }, () => {
      const begun = performance.now()
      expect(accepted({ email })).toBeUndefined()
      return performance.now() - begun
    })
    // The least of several: what else the machine does only ever adds.
    expect(Math.min(...times)).toBeLessThan(100)
  })
})
