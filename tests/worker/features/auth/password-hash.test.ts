import crypto from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DECOY_HASH, hashPassword, isOutdated, matchesHash } from '../../../../worker/features/auth/password-hash.ts'
import { parsePeppers } from '../../../../worker/platform/config/password-peppers.ts'
import { useRealHashes } from '../../cheap-hashes.ts'
import { PASSWORD, PASSWORD_HASH } from '../../sign-in.ts'

const NONE = parsePeppers(undefined)

useRealHashes()

describe('a password hash', () => {
  it('is scrypt with N=32768, r=8, p=3, a salt of its own, and matches its password only', () => {
    const hash = hashPassword(PASSWORD, NONE)
    expect(hash).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(matchesHash(PASSWORD, hash, NONE)).toBe(true)
    expect(matchesHash('correct1', hash, NONE)).toBe(false)
    expect(hashPassword(PASSWORD, NONE)).not.toBe(hash)
  })

  it('matches the vector of RFC 7914, section 12', () => {
    const digest = Buffer.from('fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162', 'hex')
    const hash = `$scrypt$ln=10,r=8,p=16$${btoa('NaCl').replace(/=+$/, '')}$${digest.toString('base64').replace(/=+$/, '')}`
    expect(matchesHash('password', hash, NONE)).toBe(true)
  })

  it('matches a letter however it is composed', () => {
    const salt = crypto.randomBytes(16)
    const digest = crypto.scryptSync('Caf\u00e91x', salt, 32, { N: 16, r: 8, p: 1 })
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    expect(matchesHash('Cafe\u03011x', `$scrypt$ln=4,r=8,p=1$${text(salt)}$${text(digest)}`, NONE)).toBe(true)
  })

  it('is outdated when it was made at another cost', () => {
    expect(isOutdated(PASSWORD_HASH, NONE)).toBe(true)
    expect(isOutdated(DECOY_HASH, NONE)).toBe(false)
  })

  it.each([
    ['work above what workerd allows', DECOY_HASH.replace('p=3', 'p=5')],
    ['more memory than an isolate has to spare', DECOY_HASH.replace('ln=15', 'ln=17').replace('r=8', 'r=4')],
    ['another function', DECOY_HASH.replace('scrypt', 'bcrypt')],
    ['a short digest', DECOY_HASH.slice(0, -4)],
    ['no structure', 'x'],
  ])('cannot be read with %s', (_, hash) => {
    expect(() => matchesHash(PASSWORD, hash, NONE)).toThrow('cannot be read')
  })

  it('of the decoy matches nothing and takes the parameters of today', () => {
    expect(DECOY_HASH).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/)
    expect(matchesHash(PASSWORD, DECOY_HASH, NONE)).toBe(false)
  })
})
