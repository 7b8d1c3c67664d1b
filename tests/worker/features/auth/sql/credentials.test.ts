import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { ALL_USED } from '../../../../../worker/features/accounts/read-profile.ts'
import {
  answerKeyStatement,
  answerKeyStatements,
  claimKey,
  type KeyClaim,
  MAX_KEYS,
  releaseKey,
  selectAnswer,
  sweepKeys,
} from '../../../../../worker/features/auth/idempotency/idempotency-keys.ts'
import {
  insertPasskeyStatements,
  type Passkey,
  selectPasskeyByCredential,
  selectPasskeys,
  usePasskeyStatements,
} from '../../../../../worker/features/auth/passkeys/passkeys.ts'
import {
  type ApiKey,
  dayOf,
  insertApiKeyStatements,
  selectApiKeyByHash,
  selectApiKeys,
  selectSpent,
  spendStatements,
  updateLastUsed,
} from '../../../../../worker/features/auth/sql/api-keys.ts'
import {
  type Attempt,
  type AttemptLimit,
  deleteAttempt,
  deleteAttemptsBeforeStatement,
  deleteAttemptsBeyondStatement,
  insertAttempt,
  selectFreeAgain,
  updateAttempt,
} from '../../../../../worker/features/auth/sql/attempts.ts'
import { selectUsed } from '../../../../../worker/features/auth/sql/quotas.ts'
import {
  deleteSession,
  endReusedSession,
  insertSession,
  insertSessionBeside,
  selectLiveSession,
  selectSessions,
  updateRotation,
} from '../../../../../worker/features/auth/sql/sessions.ts'
import { selectUser } from '../../../../../worker/features/auth/sql/users.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { selectAudit } from '../../../../../worker/platform/records/audit-log.ts'
import { add, addMany, clear, count, list, read } from '../../../rows.ts'

const { DB } = env

beforeEach(async () => {
  await clear('sessions', 'api_key_spending', 'api_keys', 'passkeys', 'passkey_challenges', 'attempts')
  await clear('idempotency_keys', 'users')
  await add('users', { id: 'zoe', status: 0 }, { id: 'ada', token_epoch: 4 }, { id: 'bob' })
})

describe('API keys', () => {
  const key = (id: string, userId = 'ada'): Omit<ApiKey, 'lastUsedAt'> & { hash: string } => ({
    ...{ id, userId, name: id, scopes: ['read'], spending: undefined, createdAt: 100, expiresAt: undefined, hash: id },
  })
  const insert = (id: string, userId: string, most: number, epoch: number) =>
    batchIf(DB, insertApiKeyStatements(DB, key(id, userId), { most, epoch }))

  it('are made in place of expired ones of the account, up to its quota', async () => {
    await add('api_keys', { id: 'ended', expires_at: 100 }, { id: 'ends', expires_at: 101 }, { id: 'stays' })
    await add('api_keys', { id: 'of-bob', user_id: 'bob', expires_at: 100 })
    expect(await insert('new', 'ada', 3, 4)).toBe(true)
    expect(await insert('over', 'ada', 3, 4)).toBe(false)
    expect(await list('api_keys', 'id')).toEqual(['ends', 'new', 'of-bob', 'stays'])
  })

  it('are made by an open account whose tokens were not ended meanwhile', async () => {
    expect(await insert('stale', 'ada', 3, 3)).toBe(false)
    expect(await insert('closed', 'zoe', 3, 0)).toBe(false)
    expect(await count('api_keys')).toBe(0)
  })

  it('are found by their hash while they live, with their account', async () => {
    await add('api_keys', { id: 'one', hash: 'h1', expires_at: 100, spending: '{"Bitcoin":"5"}' })
    await add('api_keys', { id: 'two', hash: 'h2', user_id: 'bob' })
    const one = { id: 'one', spending: { Bitcoin: 5n } }
    expect(await selectApiKeyByHash(DB, 'h1', 99)).toMatchObject({ key: one, user: { id: 'ada' } })
    expect(await selectApiKeyByHash(DB, 'h2', 1e15)).toMatchObject({ key: { id: 'two' }, user: { id: 'bob' } })
    expect(await selectApiKeyByHash(DB, 'h1', 100)).toBeUndefined()
    expect(await selectApiKeyByHash(DB, 'h3', 0)).toBeUndefined()
  })

  it('are listed for their account, the newest first', async () => {
    await add('api_keys', { id: 'a' }, { id: 'b', created_at: 1 }, { id: 'c', user_id: 'bob' })
    expect((await selectApiKeys(DB, 'ada')).map(({ id }) => id)).toEqual(['b', 'a'])
  })

  it('count what they spend by days in UTC', () => {
    expect([dayOf(86_399_999), dayOf(86_400_000)]).toEqual([0, 1])
  })

  it('are listed up to a thousand', async () => {
    await addMany('api_keys', 1_001)
    expect(await selectApiKeys(DB, 'ada')).toHaveLength(1_000)
  })

  it('note when they were used, once a minute', async () => {
    await add('api_keys', { id: 'a' }, { id: 'b', last_used_at: 0 }, { id: 'c' })
    await updateLastUsed(DB, 'a', 5)
    await updateLastUsed(DB, 'b', 59_999)
    expect(await read('api_keys', 'id', 'last_used_at')).toEqual({ a: 5, b: 0, c: null })
    await updateLastUsed(DB, 'b', 60_000)
    expect(await read('api_keys', 'id', 'last_used_at')).toEqual({ a: 5, b: 60_000, c: null })
  })

  it('know what they spent of each chain on each day, while they live', async () => {
    await add('api_keys', { id: 'a', expires_at: 100 }, { id: 'b' })
    const spent = (keyId: string, blockchain: 'Bitcoin' | 'Dogecoin', day: number, now = 0) =>
      selectSpent(DB, { keyId, blockchain, day }, now)
    expect(await spent('a', 'Bitcoin', 1)).toBe(0n)
    const spend = (keyId: string, before: bigint, amount: bigint) =>
      batchIf(DB, spendStatements(DB, { keyId, blockchain: 'Bitcoin', day: 1 }, { spent: before, amount }))
    expect(await spend('a', 0n, 5n)).toBe(true)
    expect(await spend('b', 0n, 9n)).toBe(true)
    expect(await spend('a', 5n, 2n)).toBe(true)
    expect(await spend('a', 5n, 2n)).toBe(false)
    expect(await spend('none', 0n, 2n)).toBe(false)
    expect([await spent('a', 'Bitcoin', 1), await spent('b', 'Bitcoin', 1)]).toEqual([7n, 9n])
    expect([await spent('a', 'Dogecoin', 1), await spent('a', 'Bitcoin', 2)]).toEqual([0n, 0n])
    expect([await spent('a', 'Bitcoin', 1, 99), await spent('a', 'Bitcoin', 1, 100)]).toEqual([7n, undefined])
    expect([await spent('b', 'Bitcoin', 1, 1e15), await spent('none', 'Bitcoin', 1)]).toEqual([9n, undefined])
  })

  it('spend what they have spent on the same day and chain, and no other', async () => {
    await add('api_keys', { id: 'a' }, { id: 'b' })
    const row = { blockchain: 'Bitcoin', day: 1, amount: '3' }
    await add('api_key_spending', { ...row, key_id: 'b' }, { ...row, key_id: 'a', day: 2 })
    await add('api_key_spending', { ...row, key_id: 'a', blockchain: 'Dogecoin' })
    const at = { keyId: 'a', blockchain: 'Bitcoin', day: 1 } as const
    expect(await batchIf(DB, spendStatements(DB, at, { spent: 0n, amount: 1n }))).toBe(true)
    expect(await read('api_key_spending', 'key_id || blockchain || day', 'amount')).toEqual({
      ...{ aBitcoin1: '1', aBitcoin2: '3', aDogecoin1: '3', bBitcoin1: '3' },
    })
  })
})

describe('passkeys', () => {
  const passkey = (id: string, userId = 'ada'): Omit<Passkey, 'lastUsedAt'> => ({
    ...{ id, userId, name: id, credentialId: id, publicKey: '', counter: 0, transports: [], createdAt: 1 },
  })
  const challenge = (name: string) => ({ challenge: name, expiresAt: 100 })
  const insert = (id: string, userId: string, epoch: number, most = 2) =>
    batchIf(DB, insertPasskeyStatements(DB, passkey(id, userId), challenge(id), { most, epoch }))

  it('are added by an open account, up to the most that one may have', async () => {
    await add('passkeys', { id: 'of-bob', user_id: 'bob' }, { id: 'of-bob-too', user_id: 'bob' })
    expect(await insert('a', 'ada', 4)).toBe(true)
    expect(await insert('stale', 'ada', 3)).toBe(false)
    expect(await insert('closed', 'zoe', 0)).toBe(false)
    expect(await insert('b', 'ada', 4)).toBe(true)
    expect(await insert('c', 'ada', 4)).toBe(false)
    expect((await selectPasskeys(DB, 'ada')).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await selectPasskeyByCredential(DB, 'of-bob')).toMatchObject({ id: 'of-bob', userId: 'bob' })
    expect(await selectPasskeyByCredential(DB, 'c')).toBeUndefined()
  })

  it('are listed up to a hundred', async () => {
    await addMany('passkeys', 101)
    expect(await selectPasskeys(DB, 'ada')).toHaveLength(100)
  })

  it('count up, each from what it was, with a challenge that is good once', async () => {
    await add('passkeys', { id: 'a', counter: 1 }, { id: 'b', counter: 7 })
    const use = (id: string, from: number, to: number, name: string) =>
      batchIf(DB, usePasskeyStatements(DB, { id, counter: from }, challenge(name), to, 5))
    expect(await use('a', 7, 8, 'one')).toBe(false)
    expect(await use('a', 1, 2, 'one')).toBe(true)
    expect(await use('a', 2, 3, 'one')).toBe(false)
    expect(await read('passkeys', 'id', 'counter')).toEqual({ a: 2, b: 7 })
    expect(await read('passkeys', 'id', 'last_used_at')).toEqual({ a: 5, b: null })
  })
})

describe('sessions', () => {
  const session = (jti: string, userId: string, expiresAt = 100) => ({ jti, userId, createdAt: 10, expiresAt })

  it('are written for an account as it was read', async () => {
    const [ada, zoe] = await Promise.all([selectUser(DB, 'ada'), selectUser(DB, 'zoe')])
    if (!ada || !zoe) throw new Error('The accounts are not there.')
    const acts = await count('audit')
    expect(await insertSession(DB, session('a', 'ada'), ada)).toBe(true)
    expect(await insertSession(DB, session('stale', 'ada'), { ...ada, tokenEpoch: 3 })).toBe(false)
    expect(await insertSession(DB, session('closed', 'zoe'), zoe)).toBe(false)
    expect(await count('audit')).toBe(acts + 1)
    expect(await read('sessions', 'jti', 'user_id')).toEqual({ a: 'ada' })
  })

  it('are written next to one that lives, of the same account', async () => {
    await add('sessions', { jti: 'a', expires_at: 11 }, { jti: 'ended', expires_at: 10 }, { jti: 'b', user_id: 'bob' })
    const beside = (parent: string, jti: string) =>
      insertSessionBeside(DB, parent, session(jti, 'ada'), { longAfter: 1_000, mostLong: 0 })
    expect(await beside('a', 'new')).toBe(true)
    for (const parent of ['ended', 'b', 'none']) expect(await beside(parent, `by-${parent}`)).toBe(false)
    expect(await read('sessions', 'jti', 'user_id')).toEqual({ a: 'ada', b: 'bob', ended: 'ada', new: 'ada' })
  })

  it('that live long are as many as an account may have', async () => {
    await add('sessions', { jti: 'a' }, { jti: 'b', user_id: 'bob', expires_at: 9_000 })
    await add('sessions', { jti: 'past', created_at: -9_000, expires_at: 10 })
    const beside = (jti: string, expiresAt: number) =>
      insertSessionBeside(DB, 'a', session(jti, 'ada', expiresAt), { longAfter: 1_000, mostLong: 1 })
    expect(await beside('short', 1_010)).toBe(true)
    expect(await beside('long', 1_011)).toBe(true)
    expect(await beside('longer', 1_011)).toBe(false)
    expect(await beside('shorter', 1_010)).toBe(true)
  })

  it('say whose they are while they and their account live', async () => {
    await add('sessions', { jti: 'a' }, { jti: 'b', user_id: 'bob', expires_at: 200 }, { jti: 'z', user_id: 'zoe' })
    expect((await selectLiveSession(DB, 'a', 99))?.user.id).toBe('ada')
    expect((await selectLiveSession(DB, 'b', 99))?.user.id).toBe('bob')
    for (const jti of ['z', 'none']) expect(await selectLiveSession(DB, jti, 99)).toBeUndefined()
    expect(await selectLiveSession(DB, 'a', 100)).toBeUndefined()
  })

  it('have another refresh token by whoever read the one before', async () => {
    await add('sessions', { jti: 'a' }, { jti: 'b' })
    const first = { generation: 0, firstUses: [] }
    const second = { generation: 1, firstUses: [{ generation: 0, at: 5 }] }
    expect(await updateRotation(DB, 'a', first, first)).toBe(true)
    expect([await updateRotation(DB, 'a', first, second), await updateRotation(DB, 'a', first, second)]).toEqual([
      ...[true, false],
    ])
    expect((await selectLiveSession(DB, 'a', 1))?.rotation).toEqual(second)
    const usedSince = { generation: 0, firstUses: [{ generation: 0, at: 4 }] }
    expect(await updateRotation(DB, 'b', usedSince, second)).toBe(false)
    expect((await selectLiveSession(DB, 'b', 1))?.rotation).toEqual(first)
  })

  it('end with one mail and one entry when a replaced token is used', async () => {
    await clear('mails')
    await add('sessions', { jti: 'a' }, { jti: 'b' })
    for (const userId of ['bob', 'ada', 'ada']) await endReusedSession(DB, 'a', userId, 7)
    expect(await list('sessions', 'jti')).toEqual(['b'])
    expect(await list('mails', 'template')).toEqual(['reused'])
    const [latest] = await selectAudit(DB, { account: 'ada', before: Number.MAX_SAFE_INTEGER, limit: 1 })
    expect(latest).toMatchObject({ at: 7, actor: 'service', act: 'session.ended', subject: 'session:a' })
  })

  it('are listed and ended by their account while they live', async () => {
    await add('sessions', { jti: 'a' }, { jti: 'new', created_at: 1 }, { jti: 'ended', expires_at: 10 })
    await add('sessions', { jti: 'b', user_id: 'bob' })
    expect((await selectSessions(DB, 'ada', 10)).map(({ jti }) => jti)).toEqual(['new', 'a'])
    const acts = await count('audit')
    expect(await deleteSession(DB, 'b', 'ada', 10)).toBe(false)
    expect(await deleteSession(DB, 'ended', 'ada', 10)).toBe(false)
    expect(await deleteSession(DB, 'a', 'ada', 10)).toBe(true)
    expect(await count('audit')).toBe(acts + 1)
    expect(await list('sessions', 'jti')).toEqual(['b', 'ended', 'new'])
  })
})

describe('attempts', () => {
  const attempt = (given: Partial<Attempt>): Attempt => ({
    ...{ id: 'new', kind: 'pending', address: 'x', client: 'c', at: 1_000 },
    ...given,
  })
  const limit: AttemptLimit = { by: ['address'], most: 3, within: 100 }

  it('are counted by their kind, of their address or client, for a while', async () => {
    const row = { kind: 'login', address: 'x', client: 'c', at: 950 }
    await add('attempts', { ...row, id: 'failed' }, { ...row, id: 'waits', kind: 'pending' })
    await add('attempts', { ...row, id: 'past', at: 900 }, { ...row, id: 'other', address: 'y' })
    await add('attempts', { ...row, id: 'mail', kind: 'mail' }, { ...row, id: 'elsewhere', client: 'd', address: 'z' })
    const limits = [limit, { ...limit, by: ['client'] as const }, { ...limit, by: ['address', 'client'] as const }]
    expect(await insertAttempt(DB, attempt({}), limits)).toEqual({ written: false, counts: [2, 3, 2] })
    const more = limits.map((one) => ({ ...one, most: 4 }))
    expect(await insertAttempt(DB, attempt({}), more)).toEqual({ written: true, counts: [3, 4, 3] })
    expect(await insertAttempt(DB, attempt({ id: 'm', kind: 'mail' }), [limit])).toEqual({ written: true, counts: [2] })
  })

  it('say when the next is let in, by those that failed', async () => {
    const row = { kind: 'login', address: 'x', client: 'c' }
    await add('attempts', { ...row, id: 'a', at: 950 }, { ...row, id: 'b', at: 960 }, { ...row, id: 'c', at: 900 })
    await add('attempts', { ...row, id: 'd', at: 955, kind: 'pending' }, { ...row, id: 'e', at: 955, address: 'y' })
    const free = (most: number, stale: number) => selectFreeAgain(DB, attempt({}), [{ ...limit, most }], stale)
    expect(await free(1, 0)).toBe(1_060)
    expect(await free(2, 0)).toBe(1_050)
    expect(await free(2, 955)).toBe(1_050)
    expect(await free(2, 956)).toBe(1_055)
    expect(await free(3, 0)).toBeUndefined()
  })

  it('turn into failed ones, or are taken back, each by itself', async () => {
    const row = { kind: 'pending', address: 'x', client: 'c', at: 1 }
    await add('attempts', { ...row, id: 'a' }, { ...row, id: 'b' }, { ...row, id: 'c' })
    await updateAttempt(DB, 'a')
    await deleteAttempt(DB, 'b')
    expect(await read('attempts', 'id', 'kind')).toEqual({ a: 'login', c: 'pending' })
  })

  it('are forgotten with the window of their kind', async () => {
    const row = { address: 'x', client: 'c' }
    await add('attempts', { ...row, id: 'a', kind: 'login', at: 10 }, { ...row, id: 'b', kind: 'login', at: 11 })
    await add('attempts', { ...row, id: 'm', kind: 'mail', at: 5 }, { ...row, id: 'n', kind: 'mail', at: 6 })
    await deleteAttemptsBeforeStatement(DB, { logins: 10, mails: 5 }).run()
    expect(await list('attempts', 'id')).toEqual(['b', 'n'])
  })

  it('are forgotten from the oldest on, where there are more than are kept', async () => {
    const row = { address: 'x', client: 'c' }
    for (const [at, kind] of ['login', 'mail', 'link', 'login'].entries()) {
      await add('attempts', { ...row, id: `${at}`, kind, at })
    }
    await deleteAttemptsBeyondStatement(DB, 4).run()
    expect(await list('attempts', 'id')).toEqual(['0', '1', '2', '3'])
    await deleteAttemptsBeyondStatement(DB, 2).run()
    expect(await list('attempts', 'id')).toEqual(['2', '3'])
  })
})

describe('idempotency keys', () => {
  const MINUTE = 60_000
  const DAY = 86_400_000
  const claim = (given: Partial<KeyClaim> = {}): KeyClaim => ({
    ...{ userId: 'ada', key: 'k', request: 'r', attempt: 'first' },
    ...given,
  })
  const answer = { status: 200, body: '{}' }
  const take = (given: Partial<KeyClaim>, now = 10) => claimKey(DB, claim(given), now)
  const ofAda = { user_id: "'ada'", key: "'k' || n", request: "'r'", attempt: "'a'" }
  const columns = { ...ofAda, busy_until: '0', created_at: '10' }

  it('are of one user, one request and one attempt', async () => {
    expect(await take({})).toEqual({ state: 'claimed', keys: 1 })
    expect(await take({ attempt: 'second' })).toEqual({ state: 'running', keys: 1 })
    expect(await take({ attempt: 'second', request: 'other' })).toEqual({ state: 'reused', keys: 1 })
    expect(await take({ attempt: 'second', userId: 'bob' })).toEqual({ state: 'claimed', keys: 1 })
    expect(await take({ attempt: 'second', key: 'l' })).toEqual({ state: 'claimed', keys: 2 })
    expect(await read('idempotency_keys', 'user_id || key', 'seq')).toEqual({ adak: 1, adal: 2, bobk: 1 })
  })

  it('keep the answer of the attempt that has them', async () => {
    await take({})
    await take({ key: 'l' })
    await take({ userId: 'bob' })
    expect(await batchIf(DB, answerKeyStatements(DB, claim({ attempt: 'second' }), answer))).toBe(false)
    expect(await batchIf(DB, answerKeyStatements(DB, claim({ userId: 'eve' }), answer))).toBe(false)
    expect(await batchIf(DB, answerKeyStatements(DB, claim({ key: 'm' }), answer))).toBe(false)
    expect(await selectAnswer(DB, claim())).toBeUndefined()
    expect(await batchIf(DB, answerKeyStatements(DB, claim(), answer))).toBe(true)
    expect(await batchIf(DB, answerKeyStatements(DB, claim(), answer))).toBe(false)
    expect(await read('idempotency_keys', 'user_id || key', 'status')).toEqual({ adak: 200, adal: null, bobk: null })
    expect(await take({ attempt: 'second' })).toEqual({ state: 'answered', answer, keys: 2 })
    expect(await selectAnswer(DB, claim({ attempt: 'second' }))).toEqual(answer)
    expect(await selectAnswer(DB, claim({ request: 'other' }))).toBeUndefined()
    expect(await selectAnswer(DB, claim({ key: 'm' }))).toBeUndefined()
  })

  it('keep no answer of an attempt that was overtaken, and no second one', async () => {
    await take({})
    const other = { status: 500, body: '' }
    await answerKeyStatement(DB, claim({ attempt: 'second' }), other).run()
    await answerKeyStatement(DB, claim({ userId: 'bob' }), other).run()
    await answerKeyStatement(DB, claim({ key: 'l' }), other).run()
    expect(await selectAnswer(DB, claim())).toBeUndefined()
    await answerKeyStatement(DB, claim(), answer).run()
    await answerKeyStatement(DB, claim(), other).run()
    expect(await selectAnswer(DB, claim())).toEqual(answer)
  })

  it('are given up by their attempt while they have no answer', async () => {
    await take({})
    await take({ key: 'l' })
    await take({ userId: 'bob' })
    for (const given of [{ attempt: 'second' }, { key: 'm' }, { userId: 'eve' }]) {
      expect(await releaseKey(DB, claim(given))).toBe(false)
    }
    await answerKeyStatement(DB, claim({ key: 'l' }), answer).run()
    expect(await releaseKey(DB, claim({ key: 'l' }))).toBe(false)
    expect(await releaseKey(DB, claim())).toBe(true)
    expect(await list('idempotency_keys', 'user_id || key')).toEqual(['adal', 'bobk'])
  })

  it('are taken over from an attempt that did not end within a minute, by the same request', async () => {
    await take({})
    expect(await take({ attempt: 'second' }, 10 + MINUTE)).toMatchObject({ state: 'running' })
    expect(await take({ attempt: 'second', request: 'other' }, 11 + MINUTE)).toMatchObject({ state: 'reused' })
    expect(await take({ attempt: 'second' }, 11 + MINUTE)).toMatchObject({ state: 'claimed' })
    expect(await read('idempotency_keys', 'key', 'created_at')).toEqual({ k: 10 })
    // Until long after now: by a clock that was far ahead.
    expect(await take({ attempt: 'third' }, 0)).toMatchObject({ state: 'claimed' })
  })

  it('are taken anew after a day, for whatever request, and forget their answer', async () => {
    await take({})
    await answerKeyStatement(DB, claim(), answer).run()
    const late = { attempt: 'second', request: 'other' }
    expect(await take(late, 9 + DAY)).toMatchObject({ state: 'reused' })
    expect(await take(late, 10 + DAY)).toMatchObject({ state: 'claimed' })
    expect(await read('idempotency_keys', 'key', 'created_at')).toEqual({ k: 10 + DAY })
    expect(await selectAnswer(DB, claim(late))).toBeUndefined()
  })

  it('are so many of one user, and those that are there are still claimed', async () => {
    await addMany('idempotency_keys', MAX_KEYS - 1, { ...columns, seq: 'n' })
    expect(await take({ key: 'last' })).toEqual({ state: 'claimed', keys: MAX_KEYS })
    expect(await take({ key: 'over' })).toEqual({ state: 'full', keys: MAX_KEYS })
    expect(await take({ key: 'over', userId: 'bob' })).toEqual({ state: 'claimed', keys: 1 })
    expect(await take({ key: 'over' })).toEqual({ state: 'full', keys: MAX_KEYS })
    expect(await take({ key: 'k1', attempt: 'second' })).toMatchObject({ state: 'claimed' })
  })

  it('are counted for each user, whatever others have', async () => {
    await addMany('idempotency_keys', 2, { ...columns, seq: 'n + 4' })
    await addMany('idempotency_keys', 1, { ...columns, user_id: "'eve'", seq: '-9000000' })
    await addMany('idempotency_keys', 1, { ...columns, user_id: "'eve'", key: "'far'", seq: '9000000' })
    expect(await take({ key: 'new' })).toEqual({ state: 'claimed', keys: 3 })
    expect(await read('idempotency_keys', 'user_id || key', 'seq')).toMatchObject({ adanew: 7 })
  })

  it('are swept after their time, the oldest first, some at a time', async () => {
    await addMany('idempotency_keys', 502, { ...columns, seq: 'n', created_at: '503 - n' })
    await sweepKeys(DB, 501 + DAY)
    expect(await list('idempotency_keys', 'created_at')).toEqual([501, 502])
    await sweepKeys(DB, 501 + DAY)
    expect(await list('idempotency_keys', 'created_at')).toEqual([502])
  })
})

describe('what is used of a quota', () => {
  it('is what one account has, of what counts', async () => {
    await clear('outputs', 'addresses', 'items', 'domains', 'waiting_domains', 'sites')
    const merging = { status: 201, merging_at: 1 }
    await add(
      'items',
      { id: 'up', status: 201, size: 5 },
      { id: 'unpaid', status: 402, size: 7 },
      { id: 'paid', status: 202 },
    )
    await add('items', { id: 'stored', status: 200 }, { id: 'merging', ...merging, size: 11 })
    await add('items', { id: 'directory', status: 402, size: 100, directory_of: 'f' })
    await add('items', { id: 'odd', status: 402, size: 13, merging_at: 1 }, { id: 'bobs', ...merging, user_id: 'bob' })
    await add(
      'domains',
      { host: 'a', status: 'active' },
      { host: 'b', status: 'removing' },
      { host: 'c', user_id: 'bob' },
    )
    await add('waiting_domains', { host: 'a' }, { host: 'b' }, { host: 'c' }, { host: 'd', user_id: 'bob' })
    await add('api_keys', { id: 'a' }, { id: 'b', user_id: 'bob' })
    await add('sites', { id: 's' }, { id: 't', user_id: 'bob' })
    const quotas = ['unpaidItems', 'unpaidBytes', 'merges', 'domains', 'keys', 'sites'] as const
    expect(await selectUsed(DB, 'ada', ALL_USED, quotas)).toEqual({
      ...{ unpaidItems: 5, unpaidBytes: 36, merges: 1, domains: 3, keys: 1, sites: 1 },
    })
    expect(await selectUsed(DB, 'bob', ALL_USED, quotas)).toEqual({
      ...{ unpaidItems: 1, unpaidBytes: 1, merges: 1, domains: 2, keys: 1, sites: 1 },
    })
    expect(await selectUsed(DB, 'eve', ALL_USED, quotas)).toEqual({
      ...{ unpaidItems: 0, unpaidBytes: 0, merges: 0, domains: 0, keys: 0, sites: 0 },
    })
    await clear('items', 'domains', 'waiting_domains', 'sites')
  })

  it('counts deposit addresses that were asked for and that nothing came to', async () => {
    await clear('outputs', 'addresses')
    const old = { state: 'discarded' }
    await add(
      'addresses',
      { ...old, address: 'a' },
      { ...old, address: 'used' },
      { ...old, address: 'b', replaces: 'used' },
    )
    await add('addresses', { ...old, address: 'c', kind: 'request' }, { ...old, address: 'd', user_id: 'bob' })
    await add('addresses', { ...old, address: 'e', blockchain: 'Dogecoin' })
    await add('outputs', { txid: 't', address: 'used' }, { txid: 'u', address: 'e' })
    expect(await selectUsed(DB, 'ada', ALL_USED, ['unusedAddresses'])).toEqual({ unusedAddresses: 2 })
    await clear('outputs', 'addresses')
  })
})
