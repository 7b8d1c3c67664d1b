import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  deletePendingAccounts,
  deleteSessionsBeyond,
  enforceAccountBudgets,
} from '../../../../worker/features/accounts/enforce-budgets.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { add, addMany } from '../../rows.ts'

const DAY = 86_400_000
const { DB } = env

const account = async (id: string, status: number, created_at: number) => {
  await add('users', { id, email: `${id}@x.example`, status, created_at })
}
const session = async (jti: string, user_id: string, expires_at: number) => {
  await add('sessions', { jti, user_id, created_at: 0, expires_at })
}
const ids = async (sql: string) => (await DB.prepare(sql).all<{ id: string }>()).results.map(({ id }) => id)
const users = () => ids(`SELECT id FROM users WHERE id LIKE 'budget-%' ORDER BY id`)
const sessions = () => ids('SELECT jti AS id FROM sessions ORDER BY jti')

beforeEach(async () => {
  const tables = ['mail_links', 'sign_up_waits', 'sessions']
  await DB.batch(tables.map((table) => DB.prepare(`DELETE FROM ${table}`)))
  await DB.prepare(`DELETE FROM users WHERE id LIKE 'budget-%'`).run()
})

describe('accounts whose address is not verified', () => {
  it('A55: are deleted above their budget, the oldest first, with what waits for them; others never are', async () => {
    await account('budget-verified', 1, 1)
    for (const n of [2, 3, 4]) await account(`budget-${n}`, 2, n)
    await add('mail_links', { jti: 'link', user_id: 'budget-2' })
    await add('sign_up_waits', { wait: 'wait', user_id: 'budget-2', token_epoch: 0, expires_at: 9 })
    await deletePendingAccounts(DB, 2, 10)
    expect(await users()).toEqual(['budget-3', 'budget-4', 'budget-verified'])
    expect(await ids('SELECT jti AS id FROM mail_links UNION SELECT wait FROM sign_up_waits')).toEqual([])
  })

  it('are deleted after 30 days', async () => {
    await account('budget-old', 2, 1)
    await account('budget-new', 2, 2 * DAY)
    await deletePendingAccounts(DB, 100, 31 * DAY + 1)
    expect(await users()).toEqual(['budget-new'])
  })
})

describe('sessions', () => {
  it('A55: of all accounts above their budget end, of whoever has most, those that end first', async () => {
    await account('budget-many', 1, 1)
    await account('budget-one', 1, 1)
    for (const n of [1, 2, 3, 4]) await session(`many-${n}`, 'budget-many', n)
    await session('one', 'budget-one', 0)
    await deleteSessionsBeyond(DB, 3)
    expect(await sessions()).toEqual(['many-3', 'many-4', 'one'])
  })

  it('are counted once an hour', async () => {
    await account('budget-many', 1, 1)
    for (const n of [1, 2]) await session(`many-${n}`, 'budget-many', n)
    const budgets = { ...readConfig(env).budgets, sessions: 1 }
    await enforceAccountBudgets(DB, budgets, 61 * 60_000 + 60_000)
    expect(await sessions()).toHaveLength(2)
    await enforceAccountBudgets(DB, budgets, 120 * 60_000 + 59_999)
    expect(await sessions()).toEqual(['many-2'])
  })

  it('of one account are a thousand: at a login the one that ends first is over', async () => {
    await account('budget-many', 1, 1)
    await addMany('sessions', 1_000, { jti: "'old-' || n", user_id: "'budget-many'", expires_at: 'n' })
    const { insertSession } = await import('../../../../worker/features/auth/sql/sessions.ts')
    const { selectUser } = await import('../../../../worker/features/auth/sql/users.ts')
    const user = await selectUser(DB, 'budget-many')
    if (!user) throw new Error('no user')
    await insertSession(DB, { jti: 'new', userId: user.id, createdAt: 1, expiresAt: 5_000 }, user)
    const left = await sessions()
    expect(left).toHaveLength(1_000)
    expect(left).toContain('new')
    expect(left).not.toContain('old-1')
  })
})
