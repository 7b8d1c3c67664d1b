import { env } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { retainedUntil } from '../../../../../contract/audit-acts.ts'
import { retryFailedRecordStatement } from '../../../../../worker/chain/follower/failed-records.ts'
import {
  deleteOldAdmissions,
  insertAdmission,
  selectAdmissions,
} from '../../../../../worker/content/cache/admissions.ts'
import {
  claimDenylistLook,
  noteDenylistLook,
  selectDenylistImport,
} from '../../../../../worker/content/denylist/denylist-import.ts'
import { selectBacklog } from '../../../../../worker/features/items/sql/write-backlog.ts'
import {
  selectFailedRecordDetails,
  selectFailedRecordPage,
} from '../../../../../worker/features/operate/sql/failed-records.ts'
import { claimReconciliation } from '../../../../../worker/features/operate/sql/reconciliations.ts'
import { sumLedger, sumMined } from '../../../../../worker/features/payments/sql/money-sums.ts'
import {
  decideReportStatement,
  dismissReports,
  insertReport,
  selectReport,
  selectReportStatements,
  selectReports,
} from '../../../../../worker/features/reports/sql/reports.ts'
import { selectSweepPosition, updateSweepPosition } from '../../../../../worker/platform/d1/sweep-positions.ts'
import { insertAuditStatement, selectAudit, sweepAudit } from '../../../../../worker/platform/records/audit-log.ts'
import { selectWaitingMails } from '../../../../../worker/platform/records/mail-queue.ts'
import { faultyEnv } from '../../../faulty-env.ts'
import { add, addMany, clear, count, list, read } from '../../../rows.ts'

const { DB } = env
const HOUR = 3_600_000

beforeEach(async () => {
  await clear(
    'failed_records',
    'writes',
    'payment_requests',
    'addresses',
    'withdrawals',
    'items',
    'ledger',
    'outputs',
    'mails',
  )
  await clear('report_statements', 'reports', 'report_clients', 'cache_admissions', 'sweep_positions')
})

describe('what waits for an operator', () => {
  it('is what failed and what was stopped, with whose it is', async () => {
    await add(
      'items',
      { id: 'i', name: 'item' },
      { id: 's', name: 'stopped', message: 'why', updated_at: 5 },
      { id: 'p', name: 'paused', user_id: 'bob', updated_at: 6 },
    )
    await add(
      'addresses',
      { address: 'first', user_id: 'zoe' },
      { address: 'a', blockchain: 'Nativecoin', user_id: 'zed' },
    )
    await add(
      'addresses',
      { address: 'a', user_id: 'eve' },
      { address: 'a', blockchain: 'Dogecoin', user_id: 'bob' },
      { address: 'r', kind: 'request' },
      { address: 'b', user_id: 'bob' },
    )
    await add('payment_requests', { id: 'r', address: 'r', user_id: 'bob' }, { id: 'request' })
    await add('withdrawals', { id: 'w', address: 'out', user_id: 'eve' }, { id: 'v', address: 'else' })
    await add('withdrawals', { id: 'h', state: 'held', reason: 'much', since: 9, address: 'to', user_id: 'eve' })
    await add(
      'writes',
      { item_id: 's', state: 'parked' },
      { item_id: 'p', state: 'paused', blockchain: 'Dogecoin' },
      { item_id: 'i', state: 'writing' },
    )
    await add(
      'failed_records',
      { id: 'i', since: 1 },
      { id: 'r', kind: 'request', since: 2 },
      { id: 'w', kind: 'withdrawal', since: 3 },
    )
    await add(
      'failed_records',
      { id: 'a', kind: 'address', since: 4 },
      { id: 'zoe', kind: 'credit', since: 7 },
      { id: 'l', kind: 'tx_chain', since: 8 },
    )
    const page = async (since: number, name: string, limit: number) =>
      (await selectFailedRecordPage(DB, { since, name }, limit)).map(
        ({ kind, id, subject, owner }) => `${kind} ${id} ${subject} ${owner}`,
      )
    const expected = [
      ...['item i item ada', 'request r r bob', 'withdrawal w out eve', 'address a null eve', 'stopped s stopped ada'],
      ...['stopped p paused bob', 'credit zoe null zoe', 'tx_chain l null null', 'held h to eve'],
    ]
    expect(await page(0, '', 99)).toEqual(expected)
    expect(await page(2, 'Bitcoin-request-r', 2)).toEqual(expected.slice(2, 4))
    const find = (kind: string, id: string, blockchain: 'Bitcoin' | 'Dogecoin' = 'Bitcoin') =>
      selectFailedRecordDetails(DB, { blockchain, kind, id })
    expect(await find('stopped', 's')).toMatchObject({ reason: 'why', since: 5 })
    expect(await find('tx_chain', 'l')).toMatchObject({ since: 8 })
    expect(await find('held', 'h')).toMatchObject({ reason: 'much', since: 9 })
    expect(await find('held', 'w')).toBeUndefined()
    for (const [kind, id] of [
      ['item', 'r'],
      ['request', 'i'],
    ] as const)
      expect(await find(kind, id)).toBeUndefined()
    expect(await find('item', 'i', 'Dogecoin')).toBeUndefined()
  })

  it('is tried again by its name', async () => {
    const row = { retry_at: 9 }
    await add(
      'failed_records',
      { ...row, id: 'a' },
      { ...row, id: 'b' },
      { ...row, id: 'a', kind: 'tx_chain' },
      { ...row, id: 'a', blockchain: 'Dogecoin' },
    )
    await retryFailedRecordStatement(DB, { blockchain: 'Bitcoin', kind: 'item', id: 'a' }).run()
    expect(await read('failed_records', 'blockchain || kind || id', 'retry_at')).toEqual({
      ...{ Bitcoinitema: 0, Bitcoinitemb: 9, Bitcointx_chaina: 9, Dogecoinitema: 9 },
    })
    await retryFailedRecordStatement(DB, { blockchain: 'Bitcoin', kind: 'item' }).run()
    expect(await read('failed_records', 'blockchain || kind || id', 'retry_at')).toEqual({
      ...{ Bitcoinitema: 0, Bitcoinitemb: 0, Bitcointx_chaina: 9, Dogecoinitema: 9 },
    })
  })

  it('is paid and not written, on each chain, as far as it is counted', async () => {
    await add('payment_requests', { id: 'request', state: 'settled' })
    const states = ['queued', 'writing', 'paused', 'parked', 'published', 'done']
    await add('writes', ...states.map((state, n) => ({ item_id: state, state, created_at: 9 - n })), {
      item_id: 'dog',
      blockchain: 'Dogecoin',
      created_at: 1,
    })
    expect(await selectBacklog(DB, 'Bitcoin')).toEqual({ waiting: 4, oldest: 6 })
    expect(await selectBacklog(DB, 'Nativecoin')).toEqual({ waiting: 0, oldest: undefined })
    await addMany('writes', 10_001, { item_id: 'n', blockchain: "'Nativecoin'" })
    expect((await selectBacklog(DB, 'Nativecoin')).waiting).toBe(10_000)
  })

  it('are mails that nobody took', async () => {
    expect(await selectWaitingMails(DB)).toBe(0)
    await add('mails', { id: 'a' }, { id: 'b' })
    expect(await selectWaitingMails(DB)).toBe(2)
  })
})

describe('sums of money', () => {
  it('are to the last unit of all rows, however large and many', async () => {
    const large = 4_999_999_999_999_999_999n
    await add(
      'ledger',
      { seq: 1, amount: String(large), cause: 'output:a' },
      { seq: 2, amount: String(large), cause: 'output:b' },
      { seq: 3, amount: '-7', cause: 'request:c' },
    )
    await add('ledger', { seq: 1, amount: '100', cause: 'output:a', blockchain: 'Dogecoin' })
    expect(await sumLedger(DB, 'Bitcoin')).toEqual({ credited: 2n * large, owed: 2n * large - 7n })
    expect(await sumLedger(DB, 'Nativecoin')).toEqual({ credited: 0n, owed: 0n })
    const rows = { amount: '1000000001', block_height: 'IIF(n = 2, NULL, 5)', credited: 'n = 1' }
    await addMany('outputs', 20_001, rows)
    const counted = faultyEnv(undefined)
    expect(await sumMined(counted.env.DB, 'Bitcoin')).toEqual({
      mined: 20_000n * 1_000_000_001n,
      waiting: 19_999n * 1_000_000_001n,
    })
    // Of each sum twenty thousand rows, the one that is left, and none.
    expect(counted.calls()).toBe(6)
  })
})

describe('the comparison of the books', () => {
  it('is taken on by one, when it was asked for or the last was long ago', async () => {
    const set = (asked: number, begun: number) =>
      DB.prepare('UPDATE reconciliation_asks SET asked_at = ?, begun_at = ?').bind(asked, begun).run()
    await set(5, 5)
    expect(await claimReconciliation(DB, 5, 9)).toBe(false)
    expect(await claimReconciliation(DB, 6, 9)).toBe(true)
    expect(await claimReconciliation(DB, 6, 9)).toBe(false)
    await set(10, 9)
    expect(await claimReconciliation(DB, 6, 11)).toBe(true)
    expect(await claimReconciliation(DB, 6, 11)).toBe(false)
  })
})

describe('the audit log', () => {
  it('is read latest first, of one account or of all, a page at a time', async () => {
    const entry = { at: 5, actor: 'admin', act: 'role.changed' } as const
    for (const account of ['ada', 'bob', 'ada', undefined])
      await insertAuditStatement(DB, { ...entry, account, amount: 3n }).run()
    const page = async (account: string | undefined, before: number, limit: number) =>
      await selectAudit(DB, { account, before, limit })
    const [last, third, second] = await page(undefined, Number.MAX_SAFE_INTEGER, 3)
    expect([last?.account, third?.account, second?.account]).toEqual([undefined, 'ada', 'bob'])
    expect((await page('bob', Number.MAX_SAFE_INTEGER, 1)).map(({ seq, amount }) => [seq, amount])).toEqual([
      [second?.seq, 3n],
    ])
    expect((await page('ada', third?.seq ?? 0, 1)).map(({ seq }) => seq)).toEqual([(second?.seq ?? 0) - 1])
    expect(await page('ada', (second?.seq ?? 0) - 1, 9)).toEqual([])
  })

  it('notes what follows from another statement only where that changed something', async () => {
    const entry = { at: 5, actor: 'admin', act: 'role.changed', subject: 'changed' } as const
    await DB.batch([
      DB.prepare("UPDATE users SET role = 'user' WHERE false"),
      insertAuditStatement(DB, entry, { ifChanged: true }),
    ])
    expect(await count("audit WHERE subject = 'changed'")).toBe(0)
    await DB.batch([DB.prepare("UPDATE users SET role = 'user' WHERE false"), insertAuditStatement(DB, entry, {})])
    await DB.batch([
      DB.prepare('UPDATE reconciliation_asks SET asked_at = 0'),
      insertAuditStatement(DB, entry, { ifChanged: true }),
    ])
    expect(await count("audit WHERE subject = 'changed'")).toBe(2)
  })

  it('keeps logins for four hundred days, a thousand of them swept at a time, and the rest for ever', async () => {
    expect(retainedUntil('login.made', 5)).toBe(400 * 24 * HOUR + 5)
    expect(retainedUntil('role.changed', 5)).toBeUndefined()
    const future = Date.now() + HOUR
    await addMany('audit', 1, { at: '0', actor: "'kept'", act: "'login.made'", kept_until: String(future) })
    await sweepAudit(DB, future + HOUR)
    expect(await count("audit WHERE actor = 'kept'")).toBe(1)
    await addMany('audit', 1_002, { at: 'n', actor: "'swept'", act: "'login.made'", kept_until: 'n' })
    await sweepAudit(DB, 1_001)
    expect(await list("audit WHERE actor = 'swept'", 'at')).toEqual([1_001, 1_002])
    await sweepAudit(DB, 1_001)
    expect(await list("audit WHERE actor = 'swept'", 'at')).toEqual([1_002])
  })
})

describe('what a cache admits', () => {
  it('is so much in an hour, of each cache by itself', async () => {
    const admit = (bytes: number, now: number, cache: 'chain' | 'ipfs' = 'chain') =>
      insertAdmission(DB, cache, bytes, 10, now)
    expect(await admit(11, 0)).toBe(false)
    expect([await admit(6, 0), await admit(4, HOUR - 1), await admit(1, 0)]).toEqual([true, true, false])
    expect([await admit(10, HOUR), await admit(10, 0, 'ipfs')]).toEqual([true, true])
    expect(await selectAdmissions(DB, HOUR - 1)).toEqual({ chain: 10, ipfs: 10 })
    expect(await selectAdmissions(DB, HOUR)).toEqual({ chain: 10, ipfs: 0 })
    await deleteOldAdmissions(DB, 7 * 24 * HOUR)
    expect(await count('cache_admissions')).toBe(3)
    await deleteOldAdmissions(DB, (7 * 24 + 1) * HOUR)
    expect(await list('cache_admissions', 'hour')).toEqual([1])
  })

  it('is swept on from where each sweep came to', async () => {
    await updateSweepPosition(DB, 'a/', 'x')
    await updateSweepPosition(DB, 'b/', 'y')
    await updateSweepPosition(DB, 'b/', 'z')
    expect([
      await selectSweepPosition(DB, 'a/'),
      await selectSweepPosition(DB, 'b/'),
      await selectSweepPosition(DB, 'c/'),
    ]).toEqual(['x', 'z', ''])
  })
})

describe('the denylist of somebody else', () => {
  it('is looked at by one, who says what was wrong', async () => {
    const { checkedAt } = await selectDenylistImport(DB)
    expect(await claimDenylistLook(DB, checkedAt + 1, 9)).toBe(false)
    expect(await claimDenylistLook(DB, checkedAt, 9)).toBe(true)
    expect(await claimDenylistLook(DB, checkedAt, 9)).toBe(false)
    await noteDenylistLook(DB, 'gone')
    expect(await selectDenylistImport(DB)).toMatchObject({ checkedAt: 9, problem: 'gone' })
  })
})

describe('reports', () => {
  const LIMITS = { statements: 2, open: 2, openOfNetwork: 9, networks: 9, ofClient: 3, since: 5 }
  const report = (digest: string, client: string | undefined = 'c', given: Record<string, unknown> = {}, limits = {}) =>
    insertReport(
      DB,
      {
        id: `id-${digest}`,
        kind: 'txid',
        digest,
        value: digest,
        blockchain: undefined,
        reason: 'why',
        evidence: undefined,
        at: 6,
        ...given,
      },
      client === '' ? undefined : { client, network: client.charAt(0) },
      { ...LIMITS, ...limits },
    )

  it('of one thing are one, with the first that was said of it', async () => {
    expect(await report('a')).toEqual({ id: 'id-a', ofClient: 1 })
    expect(await report('b')).toEqual({ id: 'id-b', ofClient: 2 })
    expect(await report('a', 'd', { blockchain: 'Bitcoin' })).toEqual({ id: 'id-a', ofClient: 1 })
    expect(await report('a', 'e', { kind: 'cid', id: 'id-cid' })).toBe('queue_full')
    expect(await report('a', 'e')).toEqual({ id: 'id-a', ofClient: 2 })
    expect(await report('c', 'f')).toBe('queue_full')
    expect(await read('reports', 'id', "reports || IFNULL(blockchain, '')")).toEqual({
      'id-a': '3Bitcoin',
      'id-b': '1',
    })
    expect(await list('report_statements', 'report || number')).toEqual(['id-a1', 'id-a2', 'id-b1'])
    expect(await report('a', 'h', { kind: 'cid', id: 'id-cid' }, { open: 3 })).toEqual({ id: 'id-cid', ofClient: 1 })
    expect(await list('report_statements', 'report || number')).toEqual(['id-a1', 'id-a2', 'id-b1', 'id-cid1'])
    expect(await report('a', 'i')).toEqual({ id: 'id-a', ofClient: 1 })
    expect(await report('c', 'g', {}, { open: 4 })).toMatchObject({ id: 'id-c' })
    expect((await selectReportStatements(DB, ['id-a', 'id-c'])).map(({ report }) => report)).toEqual([
      'id-a',
      'id-a',
      'id-c',
    ])
  })

  it('count each network once while they are open, and keep what its first said', async () => {
    expect(await report('a', 'c1')).toMatchObject({ id: 'id-a' })
    for (const client of ['c2', 'c3', 'd1', '', '']) await report('a', client)
    expect(await read('reports', 'id', 'reports')).toEqual({ 'id-a': 4 })
    expect(await list('report_statements', 'report || number')).toEqual(['id-a1', 'id-a2'])
    await report('b', 'z1')
    expect(await count("report_networks WHERE network = 'z'")).toBe(1)
    await report('a', 'e1', {}, { networks: 3 })
    expect(await read('reports', 'id', 'reports')).toEqual({ 'id-a': 4, 'id-b': 1 })
    await report('b', 'y1', {}, { networks: 2 })
    expect(await list("report_networks WHERE report = 'id-b'", 'network')).toEqual(['y', 'z'])
    await decideReportStatement(DB, 'id-a', { status: 'dismissed', by: 'admin', at: 7, reason: 'fine' }).run()
    expect(await count("report_networks WHERE report = 'id-a'")).toBe(0)
  })

  it('of one network are so many that wait; others, and those that nobody knows, find room', async () => {
    const one = async (digest: string, client: string) =>
      await report(digest, client, {}, { open: 9, openOfNetwork: 2 })
    const outcomes = [await one('a', 'c1'), await one('b', 'c2'), await one('c', 'c3'), await one('a', 'c4')]
    expect(outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : outcome.id))).toEqual([
      ...['id-a', 'id-b', 'queue_full', 'id-a'],
    ])
    expect(await one('d', 'd1')).toMatchObject({ id: 'id-d' })
    for (const digest of ['e', 'f', 'g']) expect(await one(digest, '')).toMatchObject({ id: `id-${digest}` })
    await decideReportStatement(DB, 'id-a', { status: 'dismissed', by: 'admin', at: 7, reason: 'fine' }).run()
    expect(await one('c', 'c5')).toMatchObject({ id: 'id-c' })
  })

  it('are dismissed many at once, those that are open, each with an entry in the audit log', async () => {
    for (const id of ['a', 'b', 'c'])
      await add('reports', { id, kind: 'txid', digest: id, value: id, status: id === 'b' ? 'denied' : 'open' })
    const acts = await count('audit')
    expect(await dismissReports(DB, ['a', 'b', 'none'], { by: 'admin', at: 7, reason: 'made up' })).toBe(1)
    expect(await read('reports', 'id', 'status')).toEqual({ a: 'dismissed', b: 'denied', c: 'open' })
    expect(await count('audit')).toBe(acts + 1)
    expect(await selectReport(DB, 'a')).toMatchObject({ decidedBy: 'admin', decidedAt: 7, decision: 'made up' })
  })

  it('of one client are so many in a while, and those of nobody are not counted', async () => {
    for (const at of [5, 6, 6]) await add('report_clients', { client: 'c', at })
    expect(await report('a')).toEqual({ id: 'id-a', ofClient: 3 })
    expect(await report('b')).toBe('client_limit')
    expect(await report('a')).toBe('client_limit')
    expect(await count('reports')).toBe(1)
    expect(await count('report_statements')).toBe(1)
    for (let n = 0; n < 4; n++) expect(await report('a', '')).toEqual({ id: 'id-a', ofClient: 0 })
    await addMany('report_clients', 12, { client: "'old'", at: '1' })
    await report('a', 'x')
    expect(await count("report_clients WHERE client = 'old'")).toBe(2)
  })

  it('are listed by their status, the oldest first, and decided one by one', async () => {
    for (const id of ['a', 'b', 'c', 'd'])
      await add('reports', { id, kind: 'txid', digest: id, value: id, status: id === 'b' ? 'denied' : 'open' })
    const page = async (after: string, limit: number) =>
      (await selectReports(DB, { status: 'open', after, limit })).map(({ id }) => id)
    expect(await page('', 9)).toEqual(['a', 'c', 'd'])
    expect(await page('a', 1)).toEqual(['c'])
    await decideReportStatement(DB, 'c', { status: 'dismissed', by: 'admin', at: 7, reason: 'fine' }).run()
    expect(await read('reports', 'id', 'status')).toEqual({ a: 'open', b: 'denied', c: 'dismissed', d: 'open' })
    expect(await selectReport(DB, 'c')).toMatchObject({ id: 'c', decidedBy: 'admin' })
    expect(await selectReport(DB, 'none')).toBeNull()
  })
})
