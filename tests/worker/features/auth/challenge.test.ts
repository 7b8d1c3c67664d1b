import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { CHALLENGE_LIFETIME, checkChallenge, makeChallenge } from '../../../../worker/features/auth/challenge.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'

const [own] = readConfig(env).tokenKeys
if (!own) throw new Error('There is no key.')
const other = { ...own, secret: new Uint8Array(32).fill(9) }
const purpose = { use: 'passkey', text: 'log in' } as const

describe('a challenge', () => {
  it('is good until its time is over', async () => {
    const challenge = await makeChallenge([own], purpose, 1_000)
    const expiresAt = 1_000 + CHALLENGE_LIFETIME
    expect(await checkChallenge([own], purpose, challenge, expiresAt - 1)).toEqual({ challenge, expiresAt })
    expect(await checkChallenge([own], purpose, challenge, expiresAt)).toBeUndefined()
  })

  it('is good for its purpose alone', async () => {
    const challenge = await makeChallenge([own], purpose, 0)
    for (const given of [
      { ...purpose, text: 'register ada' },
      { ...purpose, use: 'proof' as const },
    ])
      expect(await checkChallenge([own], given, challenge, 1)).toBeUndefined()
  })

  it('is good by any key of the set, and by no other', async () => {
    const challenge = await makeChallenge([own], purpose, 0)
    expect(await checkChallenge([other, own], purpose, challenge, 1)).toMatchObject({ challenge })
    expect(await checkChallenge([other], purpose, challenge, 1)).toBeUndefined()
  })

  it('has one spelling: another one of the same bytes would be good a second time', async () => {
    const challenge = await makeChallenge([own], purpose, 0)
    // 56 bytes end with a character of which two bits are unused.
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.indexOf(challenge.at(-1) ?? '')
    const next = Buffer.from(challenge, 'base64url').toString('base64')
    const same = `${challenge.slice(0, -1)}${'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[last + 1]}`
    expect(Buffer.from(same, 'base64url')).toEqual(Buffer.from(challenge, 'base64url'))
    for (const given of [same, next, `${challenge}=`, `${challenge}\n`])
      expect(await checkChallenge([own], purpose, given, 1)).toBeUndefined()
  })

  it('is none that is altered, cut off or longer', async () => {
    const challenge = await makeChallenge([own], purpose, 0)
    const bytes = Buffer.from(challenge, 'base64url')
    const altered = [0, 7, 8, 23, 24, 55].map((at) =>
      Buffer.from(bytes.map((byte: number, n: number) => (n === at ? byte ^ 1 : byte))),
    )
    const others = [...altered, bytes.subarray(0, 55), Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.alloc(0)]
    for (const given of others)
      expect(await checkChallenge([own], purpose, given.toString('base64url'), 1)).toBeUndefined()
  })
})
