import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { sweepReports } from '../../../../worker/features/reports/sql/reports.ts'
import { add, addMany, clear, list } from '../../rows.ts'

const DAY = 86_400_000
const NOW = 20_000 * DAY

it('reports go 400 days after they were decided, with what was said of them; those that wait stay', async () => {
  await clear('report_statements', 'reports')
  const addReport = async (id: string, status: string, decided_at: number | null) => {
    await add('reports', { id, kind: id, digest: id, value: id, status, decided_at })
    await add('report_statements', { report: id, number: 1, at: 0, reason: '' })
  }
  await addReport('waits', 'open', null)
  await addReport('young', 'denied', NOW - 400 * DAY)
  await addReport('old', 'dismissed', NOW - 400 * DAY - 1)
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
