import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  insertPasskeyStatements,
  selectPasskeyByCredential,
  selectPasskeys,
  usePasskeyStatements,
} from '../../../../../worker/features/auth/passkeys/passkeys.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { add, clear, count, list, read } from '../../../rows.ts'

const { DB } = env

beforeEach(async () => {
  await clear('passkeys', 'passkey_challenges', 'mails', 'users')
  await add('users', { id: 'ada', token_epoch: 4 }, { id: 'bob' }, { id: 'zoe', status: 0 })
})

const challenge = (name: string) => ({ challenge: name, expiresAt: 100 })

describe('a new passkey', () => {
  const passkey = { name: 'Phone', credentialId: 'id', publicKey: 'key', counter: 3, transports: ['usb'], createdAt: 5 }
  const insert = (name: string, { userId = 'ada', epoch = 4, most = 2, answered = name } = {}) => {
    const row = { ...passkey, id: name, userId, credentialId: `id of ${name}` }
    return batchIf(DB, insertPasskeyStatements(DB, row, challenge(answered), { most, epoch }))
  }

  it('is stored, and its owner is told in the log and by mail', async () => {
    const acts = await count('audit')
    expect(await insert('one')).toBe(true)
    const found = await selectPasskeyByCredential(DB, 'id of one')
    const expected = { ...passkey, id: 'one', userId: 'ada', credentialId: 'id of one', lastUsedAt: undefined }
    expect(found).toEqual(expected)
    expect(await count('audit')).toBe(acts + 1)
    expect(await list('mails', "recipient || ' ' || template || ' ' || about")).toEqual(['ada@x.example passkey added'])
  })

  it('is one of so many of its account, whatever others have', async () => {
    await add('passkeys', { id: 'b1', user_id: 'bob' }, { id: 'b2', user_id: 'bob' })
    expect([await insert('one'), await insert('two'), await insert('three')]).toEqual([true, true, false])
    expect(await list('passkeys', 'id')).toEqual(['b1', 'b2', 'one', 'two'])
  })

  it.each([
    ['whose challenge was answered before', { answered: 'used' }],
    ['whose tokens were ended since', { epoch: 3 }],
    ['that is closed', { userId: 'zoe', epoch: 0 }],
  ])('is not one of an account %s, and nobody is told', async (_, change) => {
    await add('passkey_challenges', { challenge: 'used', expires_at: 100 })
    const acts = await count('audit')
    expect(await insert('one', change)).toBe(false)
    expect([await count('passkeys'), await count('mails'), await count('audit')]).toEqual([0, 0, acts])
  })

  it('is not one that anybody has', async () => {
    await add('passkeys', { id: 'b', user_id: 'bob', credential_id: 'id of one' })
    expect([await insert('one'), await list('passkeys', 'id')]).toEqual([false, ['b']])
    // Its challenge was not used up by that.
    expect(await count('passkey_challenges')).toBe(0)
  })
})

describe('passkeys', () => {
  beforeEach(() =>
    add(
      'passkeys',
      { id: 'a', counter: 3, credential_id: 'id of a' },
      { id: 'b', user_id: 'bob', counter: 3, credential_id: 'id of b' },
      { id: 'new', counter: 9, credential_id: 'id of new', created_at: 7 },
    ),
  )

  it('are found by their credential, and listed to their owner, the newest first', async () => {
    expect((await selectPasskeyByCredential(DB, 'id of b'))?.id).toBe('b')
    expect(await selectPasskeyByCredential(DB, 'id of none')).toBeUndefined()
    expect((await selectPasskeys(DB, 'ada')).map(({ id }) => id)).toEqual(['new', 'a'])
  })

  const use = (name: string, read: { id: string; counter: number }, counter: number) =>
    batchIf(DB, usePasskeyStatements(DB, read, challenge(name), counter, 8))

  it('are used once for each challenge, which moves the counter of that one', async () => {
    expect(await use('one', { id: 'a', counter: 3 }, 4)).toBe(true)
    expect(await use('one', { id: 'a', counter: 4 }, 5)).toBe(false)
    expect(await read('passkeys', 'id', 'counter')).toEqual({ a: 4, b: 3, new: 9 })
    expect(await read('passkeys', 'id', 'last_used_at')).toEqual({ a: 8, b: null, new: null })
  })

  it.each([
    ['used meanwhile by another login', { id: 'a', counter: 2 }],
    ['removed meanwhile', { id: 'gone', counter: 3 }],
  ])('let nobody in that were %s', async (_, seen) => {
    expect(await use('one', seen, 9)).toBe(false)
    expect(await read('passkeys', 'id', 'counter')).toEqual({ a: 3, b: 3, new: 9 })
  })
})
