import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AuditEntry, insertAuditStatement, sweepAudit } from '../../../../../worker/platform/records/audit-log.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { runSql } from '../../../rows.ts'
import { signIn } from '../../../sign-in.ts'

const DAY = 86_400_000

let user: Awaited<ReturnType<typeof signIn>>
let operator: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  user = await signIn()
  operator = await signIn('admin')
})

const add = (entry: Partial<AuditEntry>) =>
  insertAuditStatement(env.DB, { at: Date.now(), actor: user.userId, account: user.userId, act: 'key.made', ...entry })
const read = async (token: string, query = '') => {
  const response = await fetchApi('GET', `/v0/audit${query}`, { token })
  const body: { entries: Record<string, unknown>[]; cursor?: string } = await response.json()
  return { ...body, status: response.status }
}

describe('GET /v0/audit', () => {
  it('tells an account what was done to it, by whom and why, latest first', async () => {
    await add({ at: 1_000, subject: 'key:a' }).run()
    const credit = {
      actor: operator.userId,
      act: 'payment.credited',
      blockchain: 'Bitcoin',
      amount: 123_456_789n,
    } as const
    await add({ at: 2_500, ...credit, subject: 'address:x', reason: 'sent to an old address' }).run()
    const { entries, cursor } = await read(user.token)
    expect(cursor).toBeUndefined()
    expect(entries).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        at: 2,
        act: 'payment.credited',
        by: operator.userId,
        account: user.userId,
        subject: 'address:x',
        reason: 'sent to an old address',
        blockchain: 'Bitcoin',
        amount: 1.23456789,
      },
      expect.objectContaining({ at: 1, act: 'key.made', by: user.userId, subject: 'key:a', reason: null }),
    ])
  })

  it('tells email addresses to an operator alone', async () => {
    await add({ actor: operator.userId }).run()
    await add({ actor: 'service', account: undefined }).run()
    const [service, made] = (await read(operator.token)).entries
    expect(made).toMatchObject({ byEmail: expect.stringContaining('@'), accountEmail: expect.stringContaining('@') })
    expect(made?.byEmail).not.toBe(made?.accountEmail)
    expect(service).not.toHaveProperty('byEmail')
    const [own] = (await read(user.token)).entries
    expect(own).toMatchObject({ by: operator.userId })
    expect(own).not.toHaveProperty('byEmail')
    expect(own).not.toHaveProperty('accountEmail')
  })

  it('tells nobody but an operator of others', async () => {
    await add({ subject: 'key:mine' }).run()
    const other = await signIn()
    expect((await read(other.token)).entries).toEqual([])
    expect(await read(other.token, `?account=${user.userId}`)).toMatchObject({
      status: 403,
      code: 'permission_missing',
    })
    expect((await read(operator.token)).entries[0]).toMatchObject({ subject: 'key:mine', account: user.userId })
    expect((await read(operator.token, `?account=${user.userId}`)).entries).toHaveLength(1)
  })

  it('is read page by page, none twice and none left out', async () => {
    await env.DB.batch(Array.from({ length: 120 }, (_, index) => add({ subject: `key:${index}` })))
    const seen: unknown[] = []
    let query = ''
    for (let pages = 0; pages < 3; pages++) {
      const { entries, cursor } = await read(user.token, query)
      seen.push(...entries.map(({ subject }) => subject))
      query = `?cursor=${cursor}`
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => `key:${119 - index}`))
    expect(query).toBe('?cursor=undefined')
    expect(await read(user.token, '?cursor=-1')).toMatchObject({ status: 400, code: 'invalid_field' })
  })
})

describe('the audit log', () => {
  it('is written with what it tells of, or not at all', async () => {
    const failing = env.DB.prepare('INSERT INTO assertions (holds) VALUES (0)')
    await expect(env.DB.batch([add({}), failing])).rejects.toThrow('constraint')
    expect((await read(user.token)).entries).toEqual([])
  })

  it('is written only where something changed, when asked for', async () => {
    const rename = (id: string) => env.DB.prepare("UPDATE users SET first_name = 'Eve' WHERE id = ?").bind(id)
    const ifChanged = (subject: string) =>
      insertAuditStatement(
        env.DB,
        { at: 1, actor: user.userId, account: user.userId, act: 'key.made', subject },
        { ifChanged: true },
      )
    await env.DB.batch([rename('nobody'), ifChanged('no')])
    await env.DB.batch([rename(user.userId), ifChanged('yes')])
    expect((await read(user.token)).entries.map(({ subject }) => subject)).toEqual(['yes'])
  })

  it('takes no change of a row and loses none that is kept', async () => {
    await env.DB.batch([add({ act: 'login.made' }), add({ act: 'payment.credited', at: 1 })])
    const of = [user.userId] as const
    for (const sql of ["UPDATE audit SET reason = 'x' WHERE account = ?", 'DELETE FROM audit WHERE account = ?']) {
      await expect(runSql(sql, ...of)).rejects.toThrow('only added to')
    }
    expect((await read(user.token)).entries).toHaveLength(2)
  })

  it('forgets logins after 400 days, and nothing of money ever', async () => {
    const at = Date.now()
    await env.DB.batch([
      add({ act: 'login.made', at: at - 401 * DAY, subject: 'old' }),
      add({ act: 'login.made', at: at - 399 * DAY, subject: 'young' }),
      add({ act: 'payment.credited', at: at - 4_000 * DAY, subject: 'money' }),
    ])
    await sweepAudit(env.DB, at + 4_000 * DAY)
    expect((await read(user.token)).entries.map(({ subject }) => subject)).toEqual(['money', 'young'])
  })
})
