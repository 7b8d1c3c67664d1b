import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import {
  deleteHostnameMark,
  listHostnameMarks,
  putHostnameMark,
} from '../../../../../worker/features/sites/sql/hostname-marks.ts'

const { BUCKET } = env
const list = async (after: string, limit: number) => {
  const { marks, last } = await listHostnameMarks(BUCKET, after, limit)
  return [...marks.map(({ host, id }) => [host, id]), last]
}

it('hosts that were made at Cloudflare are known by their marks, with their id once it is known, a page at a time', async () => {
  for (const host of ['a.example', 'b.example', 'c.example']) await putHostnameMark(BUCKET, host)
  await putHostnameMark(BUCKET, 'b.example', 'its-id')
  expect(await list('', 2)).toEqual([['a.example', undefined], ['b.example', 'its-id'], false])
  expect(await list('b.example', 2)).toEqual([['c.example', undefined], true])
  const { marks } = await listHostnameMarks(BUCKET, '', 1)
  expect(Math.abs(Date.now() - (marks[0]?.markedAt ?? 0))).toBeLessThan(600_000)
  await deleteHostnameMark(BUCKET, 'a.example')
  expect(await list('', 3)).toEqual([['b.example', 'its-id'], ['c.example', undefined], true])
})
