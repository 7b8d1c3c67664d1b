import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { LIFETIMES } from '../../../../../contract/lifetimes.ts'
import { closeUser } from '../../../../../worker/features/accounts/close-account.ts'
import { redeemReset } from '../../../../../worker/features/accounts/follow-link.ts'
import { sweepAccounts } from '../../../../../worker/features/accounts/sweep-accounts.ts'
import {
  deletePendingUsers,
  selectPendingBeyond,
  selectPendingUntil,
} from '../../../../../worker/features/auth/sql/account-budgets.ts'
import {
  insertKnownAddressMailStatement,
  insertLinkMailStatement,
} from '../../../../../worker/features/auth/sql/account-mails.ts'
import { deleteCredential } from '../../../../../worker/features/auth/sql/credentials.ts'
import {
  deleteLinksOfPendingUserStatement,
  insertMailLinkStatement,
  type MailLink,
  redeemVerifyLink,
  selectMailLink,
} from '../../../../../worker/features/auth/sql/mail-links.ts'
import { consumeSignUpWait, insertWaitStatements } from '../../../../../worker/features/auth/sql/sign-up-waits.ts'
import {
  assertNotClosedStatement,
  confirmIdentity,
  selectUser,
  selectUserByEmail,
  selectUsers,
  type User,
  updateNames,
  updatePassword,
  updatePasswordHash,
  upsertPendingUserStatement,
} from '../../../../../worker/features/auth/sql/users.ts'
import { readConfig } from '../../../../../worker/platform/config/read-config.ts'
import { batchIf } from '../../../../../worker/platform/d1/guarded-batch.ts'
import { claimMail, deleteMail, selectDueMails } from '../../../../../worker/platform/records/mail-queue.ts'
import { add, clear, count, list, read } from '../../../rows.ts'

const { DB } = env

beforeEach(async () => {
  await clear('sessions', 'mail_links', 'mails', 'api_keys', 'passkeys', 'sign_up_waits', 'webhooks', 'domains')
  await clear('waiting_domains', 'attempts', 'users')
  // The first is closed: what looks at any account looks at this one.
  await add(
    'users',
    { id: 'zoe', status: 0 },
    { id: 'ada', password_hash: 'old' },
    { id: 'bob', password_hash: 'third' },
  )
})

/** Two of everything that an account has: one is hers, one is another's. */
async function addBelongings(): Promise<void> {
  for (const [user_id, name] of [
    ['ada', 'a'],
    ['bob', 'b'],
  ] as const) {
    await add('sessions', { jti: `${name}1`, user_id }, { jti: `${name}2`, user_id })
    await add('mail_links', { jti: `${name}-verify`, user_id }, { jti: `${name}-reset`, user_id, kind: 'reset' })
    await add('api_keys', { id: name, user_id })
    await add('passkeys', { id: name, user_id })
    await add('webhooks', { id: name, user_id })
    await add('domains', { host: `${name}.example`, user_id })
    await add('waiting_domains', { host: `${name}.example`, user_id })
    await add('attempts', { id: name, kind: 'login', address: name, client: '', at: 0 })
  }
}
const TABLES = {
  ...{ sessions: 'jti', mail_links: 'jti', api_keys: 'id', passkeys: 'id', webhooks: 'id', waiting_domains: 'host' },
  attempts: 'id',
}
const left = async () =>
  Object.fromEntries(
    await Promise.all(Object.entries(TABLES).map(async ([table, key]) => [table, await list(table, key)])),
  )

async function user(id: string): Promise<User> {
  const found = await selectUser(DB, id)
  if (!found) throw new Error(`There is no user ${id}.`)
  return found
}

describe('accounts', () => {
  it('are found by their id and by their address', async () => {
    expect((await selectUser(DB, 'bob'))?.email).toBe('bob@x.example')
    expect((await selectUserByEmail(DB, 'bob@x.example'))?.id).toBe('bob')
    expect(await selectUser(DB, 'eve')).toBeUndefined()
    expect(await selectUserByEmail(DB, 'eve@x.example')).toBeUndefined()
  })

  it('change their password with what it ends, and nobody else’s', async () => {
    await addBelongings()
    const before = await left()
    expect(await updatePassword(DB, await user('ada'), 'new', 'a1', 5)).toBe(true)
    expect(await read('users', 'id', 'password_hash')).toEqual({ ada: 'new', bob: 'third', zoe: '' })
    expect(await read('users', 'id', 'token_epoch')).toEqual({ ada: 1, bob: 0, zoe: 0 })
    expect(await left()).toEqual({ ...before, sessions: ['a1', 'b1', 'b2'], mail_links: ['b-reset', 'b-verify'] })
  })

  it('change no password, and end nothing, where the account changed meanwhile or is not open', async () => {
    await addBelongings()
    const before = await left()
    const acts = await count('audit')
    const ada = await user('ada')
    expect(await updatePassword(DB, { ...ada, tokenEpoch: 7 }, 'third', undefined, 5)).toBe(false)
    expect(await updatePassword(DB, await user('zoe'), 'third', undefined, 5)).toBe(false)
    expect(await count('audit')).toBe(acts)
    expect(await read('users', 'id', 'password_hash')).toEqual({ ada: 'old', bob: 'third', zoe: '' })
    expect(await left()).toEqual(before)
  })

  it('are closed with all that they have, once', async () => {
    await addBelongings()
    const before = await left()
    const acts = await count('audit')
    const ada = await user('ada')
    expect(await closeUser(DB, { ...ada, tokenEpoch: 7 }, 5)).toBe(false)
    expect(await closeUser(DB, await user('zoe'), 5)).toBe(false)
    expect(await left()).toEqual(before)
    expect(await read('domains', 'host', 'status')).toEqual({ 'a.example': 'active', 'b.example': 'active' })
    expect(await closeUser(DB, ada, 5)).toBe(true)
    expect(await closeUser(DB, await user('ada'), 5)).toBe(false)
    expect(await count('audit')).toBe(acts + 1)
    expect(await read('users', 'id', 'status')).toEqual({ ada: 0, bob: 1, zoe: 0 })
    expect(await read('users', 'id', 'token_epoch')).toEqual({ ada: 1, bob: 0, zoe: 0 })
    expect(await left()).toEqual({
      sessions: ['b1', 'b2'],
      mail_links: ['b-reset', 'b-verify'],
      ...{ api_keys: ['b'], passkeys: ['b'], webhooks: ['b'], waiting_domains: ['b.example'], attempts: ['a', 'b'] },
    })
    expect(await read('domains', 'host', 'status')).toEqual({ 'a.example': 'removing', 'b.example': 'active' })
  })

  it('ask nothing of a domain that is being removed already', async () => {
    await add('domains', { host: 'gone.example', user_id: 'ada', status: 'removing', asked_at: 3 })
    await closeUser(DB, await user('ada'), 5)
    expect(await read('domains', 'host', 'asked_at')).toEqual({ 'gone.example': 3 })
  })

  it('take a better hash of the same password only in place of that hash', async () => {
    await updatePasswordHash(DB, 'ada', 'third', 'better')
    expect(await read('users', 'id', 'password_hash')).toEqual({ ada: 'old', bob: 'third', zoe: '' })
    await updatePasswordHash(DB, 'bob', 'third', 'better')
    expect(await read('users', 'id', 'password_hash')).toEqual({ ada: 'old', bob: 'better', zoe: '' })
  })

  it('change names while they are open', async () => {
    await updateNames(DB, 'ada', { firstName: 'A', lastName: undefined })
    await updateNames(DB, 'ada', { firstName: undefined, lastName: 'L' })
    await updateNames(DB, 'zoe', { firstName: 'Z', lastName: 'Z' })
    expect(await read('users', 'id', "first_name || '/' || last_name")).toEqual({ ada: 'A/L', bob: '/', zoe: '/' })
  })

  it('are let in once their identity is confirmed, which one of them waits for', async () => {
    await add('users', { id: 'ida', status: 3 }, { id: 'ivy', status: 3 }, { id: 'pia', status: 2 })
    const acts = await count('audit')
    expect(await confirmIdentity(DB, 'ida', 'admin', 5)).toBe(true)
    expect(await confirmIdentity(DB, 'pia', 'admin', 5)).toBe(false)
    expect(await confirmIdentity(DB, 'zoe', 'admin', 5)).toBe(false)
    expect(await count('audit')).toBe(acts + 1)
    const status = await read('users', 'id', 'status')
    expect(status).toEqual({ ada: 1, bob: 1, ida: 1, ivy: 3, pia: 2, zoe: 0 })
  })

  it('are listed by their states, a page at a time', async () => {
    await add('users', { id: 'cat', created_at: 1 }, { id: 'dan', created_at: 2, status: 3 })
    const page = async (statuses: number[], most: number, after?: { createdAt: number; id: string }) =>
      (await selectUsers(DB, { statuses, after, most })).map(({ id }) => id)
    expect(await page([1], 10)).toEqual(['ada', 'bob', 'cat'])
    expect(await page([1, 3], 2, { createdAt: 0, id: 'ada' })).toEqual(['bob', 'cat'])
    expect(await page([1, 3], 2, { createdAt: 1, id: 'cat' })).toEqual(['dan'])
  })

  it('fail the batch of what a closed account may not do', async () => {
    expect(await batchIf(DB, [assertNotClosedStatement(DB, 'ada')])).toBe(true)
    expect(await batchIf(DB, [assertNotClosedStatement(DB, 'zoe')])).toBe(false)
  })

  it('are signed up again only while their address is not verified', async () => {
    await add('users', { id: 'pia', status: 2, role: 'admin' })
    const signUp = (id: string) =>
      upsertPendingUserStatement(DB, {
        ...{
          id: `${id}-again`,
          email: `${id}@x.example`,
          passwordHash: 'mine',
          firstName: '',
          lastName: '',
          createdAt: 5,
        },
      }).run()
    for (const id of ['ada', 'pia', 'zoe', 'new']) await signUp(id)
    const expected = { ada: 'old', bob: 'third', 'new-again': 'mine', pia: 'mine', zoe: '' }
    expect(await read('users', 'id', 'password_hash')).toEqual(expected)
    expect(await read('users', 'id', 'token_epoch')).toMatchObject({ ada: 0, pia: 1, 'new-again': 0 })
    expect(await read('users', 'id', 'role')).toMatchObject({ pia: 'user' })
    expect(await read('users', 'id', 'status')).toMatchObject({ 'new-again': 2, pia: 2 })
  })

  it('are deleted for want of room only while their address is not verified', async () => {
    await add('users', { id: 'pia', status: 2 }, { id: 'pat', status: 2 })
    await add('mail_links', { jti: 'a' }, { jti: 'p', user_id: 'pia' }, { jti: 'q', user_id: 'pat' })
    await deletePendingUsers(DB, ['ada', 'pia'])
    expect(await list('users', 'id')).toEqual(['ada', 'bob', 'pat', 'zoe'])
    expect(await list('mail_links', 'jti')).toEqual(['a', 'q'])
  })

  it('are found for that oldest first, up to the newest that is too many, whoever else is as old', async () => {
    const pending = [3, 1, 2].map((at) => ({ id: `pending-${at}`, status: 2, created_at: at }))
    await add('users', ...pending, { id: 'eve', status: 1, created_at: 1 }, { id: 'una', status: 1, created_at: 9 })
    expect([await selectPendingBeyond(DB, 1), await selectPendingBeyond(DB, 3)]).toEqual([2, undefined])
    expect(await selectPendingUntil(DB, 2, 9)).toEqual(['pending-1', 'pending-2'])
    expect(await selectPendingUntil(DB, 2, 1)).toEqual(['pending-1'])
  })

  it.each(['key', 'passkey'] as const)('end a %s of their own, and say so once', async (kind) => {
    await addBelongings()
    const acts = await count('audit')
    expect(await deleteCredential(DB, kind, { id: 'b', userId: 'ada' }, 5)).toBe(false)
    expect(await deleteCredential(DB, kind, { id: 'a', userId: 'ada' }, 5)).toBe(true)
    expect(await deleteCredential(DB, kind, { id: 'a', userId: 'ada' }, 5)).toBe(false)
    expect(await count('audit')).toBe(acts + 1)
    const tables = { api_keys: kind === 'key' ? ['b'] : ['a', 'b'], passkeys: kind === 'key' ? ['a', 'b'] : ['b'] }
    expect(await left()).toMatchObject(tables)
  })
})

const link = (jti: string, kind: 'verify' | 'reset', userId = 'ada'): MailLink => ({
  ...{ jti, userId, kind, createdAt: 0, expiresAt: 100 },
})

describe('mailed links', () => {
  beforeEach(async () => {
    await add('users', { id: 'pia', status: 2, role: 'admin' }, { id: 'pat', status: 2 })
  })

  it('are written for an account in one of some states', async () => {
    const insert = (jti: string, id: string, statuses: number[]) =>
      insertMailLinkStatement(DB, { ...link(jti, 'verify'), email: `${id}@x.example` }, statuses).run()
    await insert('one', 'pia', [2, 3])
    await insert('two', 'ada', [2, 3])
    await insert('three', 'nobody', [1])
    expect(await read('mail_links', 'jti', 'user_id')).toEqual({ one: 'pia' })
  })

  it('live until they expire', async () => {
    await add('mail_links', { jti: 'one', expires_at: 100 }, { jti: 'two', expires_at: 200 })
    expect((await selectMailLink(DB, 'one', 99))?.jti).toBe('one')
    expect((await selectMailLink(DB, 'two', 150))?.jti).toBe('two')
    expect(await selectMailLink(DB, 'one', 100)).toBeUndefined()
    expect(await selectMailLink(DB, 'three', 0)).toBeUndefined()
  })

  it('of a pending account go when somebody signs up with its address anew', async () => {
    await add('mail_links', { jti: 'a' }, { jti: 'p', user_id: 'pia' }, { jti: 'q', user_id: 'pat' })
    await deleteLinksOfPendingUserStatement(DB, 'ada@x.example').run()
    expect(await count('mail_links')).toBe(3)
    await deleteLinksOfPendingUserStatement(DB, 'pat@x.example').run()
    expect(await list('mail_links', 'jti')).toEqual(['a', 'p'])
  })

  it('verify the account that they are of, and void its other links of that kind', async () => {
    const rows = { a: 'ada', p: 'pia', p2: 'pia', q: 'pat' }
    for (const [jti, user_id] of Object.entries(rows)) await add('mail_links', { jti, user_id })
    await add('mail_links', { jti: 'r', user_id: 'pia', kind: 'reset' })
    expect(await redeemVerifyLink(DB, link('p', 'verify', 'pia'), 3, 5)).toBe(true)
    expect(await redeemVerifyLink(DB, link('p', 'verify', 'pia'), 3, 5)).toBe(false)
    expect(await list('mail_links', 'jti')).toEqual(['a', 'q', 'r'])
    expect(await read('users', 'id', 'status')).toEqual({ ada: 1, bob: 1, pat: 2, pia: 3, zoe: 0 })
    expect(await read('users', 'id', 'role')).toMatchObject({ pia: 'user' })
  })

  it.each([
    ['is not there', link('none', 'verify', 'pat'), 5],
    ['is another account’s', link('p', 'verify', 'pat'), 5],
    ['resets a password', link('r', 'verify', 'pat'), 5],
    ['has expired', link('q', 'verify', 'pat'), 100],
    ['is of an open account', link('a', 'verify', 'ada'), 5],
  ])('verify nothing where the link %s', async (_, tried, now) => {
    await add('mail_links', { jti: 'p', user_id: 'pia' }, { jti: 'q', user_id: 'pat' }, { jti: 'a' })
    await add('mail_links', { jti: 'r', user_id: 'pat', kind: 'reset' })
    expect(await redeemVerifyLink(DB, tried, 3, now)).toBe(false)
    expect(await read('users', 'id', 'status')).toEqual({ ada: 1, bob: 1, pat: 2, pia: 2, zoe: 0 })
    expect(await count('mail_links')).toBe(4)
  })

  it('reset a password, and end all that it was used with', async () => {
    await addBelongings()
    const change = { passwordHash: 'new', verifiedStatus: 1, address: 'a' }
    await add('attempts', { id: 'mailed', kind: 'mail', address: 'a', client: '', at: 0 })
    const acts = await count('audit')
    expect(await redeemReset(DB, link('a-reset', 'reset'), change, 5)).toBe(true)
    expect(await redeemReset(DB, link('a-reset', 'reset'), change, 5)).toBe(false)
    expect(await count('audit')).toBe(acts + 3)
    expect(await read('webhooks', 'id', 'paused_at')).toEqual({ a: 5, b: null })
    expect(await read('users', 'id', 'password_hash')).toMatchObject({ ada: 'new', bob: 'third', zoe: '' })
    expect(await read('users', 'id', 'token_epoch')).toMatchObject({ ada: 1, bob: 0, zoe: 0 })
    expect(await left()).toEqual({
      sessions: ['b1', 'b2'],
      mail_links: ['b-reset', 'b-verify'],
      ...{ api_keys: ['b'], passkeys: ['b'], attempts: ['b', 'mailed'] },
      ...{ webhooks: ['a', 'b'], waiting_domains: ['a.example', 'b.example'] },
    })
  })

  it('verify a pending address by a reset, and take back what role it was given', async () => {
    await add('mail_links', { jti: 'r', user_id: 'pia', kind: 'reset' })
    await redeemReset(DB, link('r', 'reset', 'pia'), { passwordHash: 'new', verifiedStatus: 3, address: '' }, 5)
    expect(await read('users', 'id', 'status')).toEqual({ ada: 1, bob: 1, pat: 2, pia: 3, zoe: 0 })
    expect(await read('users', 'id', 'role')).toMatchObject({ pia: 'user' })
  })

  it('leave the role of an operator who resets a password', async () => {
    await DB.prepare("UPDATE users SET role = 'admin' WHERE id = 'ada'").run()
    await add('mail_links', { jti: 'r', kind: 'reset' })
    await redeemReset(DB, link('r', 'reset'), { passwordHash: 'new', verifiedStatus: 3, address: '' }, 5)
    expect(await read('users', 'id', 'role || status')).toMatchObject({ ada: 'admin1' })
  })

  it.each([
    ['is not there', link('none', 'reset'), 5],
    ['is another account’s', link('b-reset', 'reset'), 5],
    ['verifies an address', link('a-verify', 'reset'), 5],
    ['has expired', link('a-reset', 'reset'), 100],
  ])('reset nothing, and end nothing, where the link %s', async (_, tried, now) => {
    await addBelongings()
    const before = await left()
    const change = { passwordHash: 'new', verifiedStatus: 3, address: 'a' }
    expect(await redeemReset(DB, tried, change, now)).toBe(false)
    expect(await read('users', 'id', 'password_hash')).toMatchObject({ ada: 'old', bob: 'third' })
    expect(await read('webhooks', 'id', 'paused_at')).toEqual({ a: null, b: null })
    expect(await left()).toEqual(before)
  })

  it('reset no closed account', async () => {
    await add('mail_links', { jti: 'r', user_id: 'zoe', kind: 'reset' })
    const change = { passwordHash: 'new', verifiedStatus: 3, address: 'a' }
    expect(await redeemReset(DB, link('r', 'reset', 'zoe'), change, 5)).toBe(false)
    expect(await read('users', 'id', 'password_hash')).toMatchObject({ zoe: '' })
  })

  it('go out in a mail to their account, where they were written', async () => {
    await add('mail_links', { jti: 'a', kind: 'reset' }, { jti: 'b', user_id: 'bob' })
    await insertLinkMailStatement(DB, 'mail', 'a', 5).run()
    await insertLinkMailStatement(DB, 'none', 'never', 5).run()
    expect(await read('mails', 'id', "recipient || ' ' || template || ' ' || link_jti")).toEqual({
      mail: 'ada@x.example reset a',
    })
  })
})

describe('mails', () => {
  it('tell of an address that is taken, and of none that is pending', async () => {
    await add('users', { id: 'pia', status: 2 })
    for (const id of ['ada', 'pia', 'zoe']) await insertKnownAddressMailStatement(DB, id, `${id}@x.example`, 5).run()
    expect(await read('mails', 'id', 'template')).toEqual({ ada: 'known', zoe: 'closed' })
  })

  it('are due at their time, the longest waiting first, and are taken by one', async () => {
    await add(
      'mails',
      { id: 'c', next_attempt_at: 3 },
      { id: 'b', next_attempt_at: 2 },
      { id: 'd', next_attempt_at: 4 },
    )
    expect((await selectDueMails(DB, 3, 10)).map(({ id }) => id)).toEqual(['b', 'c'])
    expect((await selectDueMails(DB, 3, 1)).map(({ id }) => id)).toEqual(['b'])
    expect(await claimMail(DB, 'd', 3, 9)).toBeUndefined()
    expect((await claimMail(DB, 'c', 3, 9))?.attempts).toBe(1)
    expect(await claimMail(DB, 'c', 3, 9)).toBeUndefined()
    expect(await read('mails', 'id', 'next_attempt_at')).toEqual({ b: 2, c: 9, d: 4 })
  })

  it('are deleted one by one', async () => {
    await add('mails', { id: 'a' }, { id: 'b' })
    await deleteMail(DB, 'a')
    expect(await list('mails', 'id')).toEqual(['b'])
  })
})

describe('waiting for one’s sign-up', () => {
  beforeEach(async () => {
    await add('users', { id: 'pia', status: 2, token_epoch: 4 }, { id: 'pat', status: 2 })
  })
  const wait = (name: string, id: string) =>
    DB.batch(insertWaitStatements(DB, { wait: name, email: `${id}@x.example`, expiresAt: 100 }))
  const move = (id: string, status: number) =>
    DB.prepare('UPDATE users SET status = ? WHERE id = ?').bind(status, id).run()

  it('is of a pending account, in place of an earlier wait of the same', async () => {
    await add('sign_up_waits', { wait: 'of-ada', user_id: 'ada', token_epoch: 0, expires_at: 100 })
    for (const [name, id] of [
      ['p', 'pia'],
      ['q', 'pat'],
      ['p2', 'pia'],
      ['a', 'ada'],
    ] as const)
      await wait(name, id)
    expect(await read('sign_up_waits', 'wait', 'user_id')).toEqual({ 'of-ada': 'ada', p2: 'pia', q: 'pat' })
    expect(await read('sign_up_waits', 'wait', 'token_epoch')).toMatchObject({ p2: 4, q: 0 })
  })

  it.each([1, 3])('ends once when the account is in state %i', async (status) => {
    await wait('p', 'pia')
    await wait('q', 'pat')
    expect(await consumeSignUpWait(DB, 'p', 5)).toBe(false)
    await move('pia', status)
    expect(await consumeSignUpWait(DB, 'q', 5)).toBe(false)
    expect(await consumeSignUpWait(DB, 'p', 100)).toBe(false)
    expect(await consumeSignUpWait(DB, 'p', 99)).toBe(true)
    expect(await consumeSignUpWait(DB, 'p', 99)).toBe(false)
    expect(await list('sign_up_waits', 'wait')).toEqual(['q'])
  })

  it.each([0, 2])('goes on while the account is in state %i', async (status) => {
    await wait('p', 'pia')
    await move('pia', status)
    expect(await consumeSignUpWait(DB, 'p', 5)).toBe(false)
  })

  it('never ends for a sign-up that another took the place of', async () => {
    await wait('p', 'pia')
    await DB.prepare("UPDATE users SET status = 1, token_epoch = 5 WHERE id = 'pia'").run()
    expect(await consumeSignUpWait(DB, 'p', 5)).toBe(false)
  })
})

it('what has expired is deleted, each at its own time', async () => {
  const now = 20_001 * 86_400_000
  const mailed = now - LIFETIMES.mailLink * 1000
  await clear('passkey_challenges', 'api_key_spending')
  await add('sessions', { jti: 'old', expires_at: now }, { jti: 'new', expires_at: now + 1 })
  await add('mail_links', { jti: 'old', expires_at: now }, { jti: 'new', expires_at: now + 1 })
  const wait = { user_id: 'ada', token_epoch: 0 }
  await add('sign_up_waits', { ...wait, wait: 'old', expires_at: now }, { ...wait, wait: 'new', expires_at: now + 1 })
  await add('passkey_challenges', { challenge: 'old', expires_at: now }, { challenge: 'new', expires_at: now + 1 })
  const sent = { next_attempt_at: now + 1 }
  await add('mails', { ...sent, id: 'old', created_at: mailed }, { ...sent, id: 'new', created_at: mailed + 1 })
  await add('api_keys', { id: 'key' })
  const spent = { key_id: 'key', blockchain: 'Bitcoin', amount: '1' }
  await add('api_key_spending', { ...spent, day: 20_000 }, { ...spent, day: 20_001 })
  await sweepAccounts(DB, readConfig(env), now)
  const tables = {
    sessions: 'jti',
    mail_links: 'jti',
    sign_up_waits: 'wait',
    passkey_challenges: 'challenge',
    mails: 'id',
  }
  for (const [table, key] of Object.entries(tables)) expect([table, await list(table, key)]).toEqual([table, ['new']])
  expect(await list('api_key_spending', 'day')).toEqual([20_001])
})
