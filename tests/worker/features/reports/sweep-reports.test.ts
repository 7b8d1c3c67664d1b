import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { sweepReports } from '../../../../worker/features/reports/sql/reports.ts'
import { addMany, clear, list } from '../../rows.ts'

const DAY = 86_400_000
const NOW = 20_000 * DAY

it('reports go 400 days after they were decided, with what was said of them; those that wait stay', async () => {
  await clear('report_statements', 'reports')
  const add = async (id: string, status: string, decidedAt: number | null) => {
    const report = 'INSERT INTO reports (id, kind, digest, value, status, decided_at) VALUES (?1, ?1, ?1, ?1, ?2, ?3)'
    await env.DB.prepare(report).bind(id, status, decidedAt).run()
    await env.DB.prepare(`INSERT INTO report_statements (report, number, at, reason) VALUES (?, 1, 0, '')`)
      .bind(id)
      .run()
  }
  await add('waits', 'open', null)
  await add('young', 'denied', NOW - 400 * DAY)
  await add('old', 'dismissed', NOW - 400 * DAY - 1)
  await sweepReports(env.DB, NOW)
  expect(await list('reports', 'id')).toEqual(['waits', 'young'])
  expect(await list('report_statements', 'report')).toEqual(['waits', 'young'])
  await clear('report_statements', 'reports')
})

it('five hundred reports go at once', async () => {
  await clear('report_statements', 'reports')
  await addMany('reports', 501, {
    ...{ id: 'n', kind: `'txid'`, digest: 'n', value: 'n', status: `'denied'`, decided_at: 'n' },
  })
  await sweepReports(env.DB, NOW)
  expect(await list('reports', 'id')).toEqual(['501'])
  await clear('reports')
})
