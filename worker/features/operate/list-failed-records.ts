import type { RecordAction } from '../../../contract/states.ts'
import { unixSeconds } from '../../platform/clock.ts'
import { cutPage } from '../../platform/d1/page-key.ts'
import { invalidCursor } from '../../platform/http/errors.ts'
import { type FailedRecordDetails, recordName, selectFailedRecordPage } from './sql/failed-records.ts'

const PAGE = 100

/** The acts that make sense for a kind of record. */
export function actionsFor(kind: string): RecordAction[] {
  if (kind === 'request') return ['retry', 'settle', 'credit']
  if (kind === 'owner') return ['close']
  return kind === 'tx_chain' ? ['retry', 'close'] : ['retry']
}

/** A page of what waits for an operator, the longest waiting first. @throws {AppError} 400 for the cursor. */
export async function listFailedRecords(db: D1Database, cursor: string | undefined) {
  const found = await selectFailedRecordPage(db, parseCursor(cursor), PAGE + 1)
  const page = cutPage(found, (last) => `${last.since}.${recordName(last)}`, PAGE)
  return { records: page.shown.map(recordJson), cursor: page.cursor }
}

/** A record as the API answers it; `since` in Unix seconds. */
export function recordJson(record: FailedRecordDetails) {
  const { kind, blockchain, reason, since, subject, owner, id } = record
  return {
    id: recordName(record),
    kind,
    subject: subject ?? id,
    owner,
    blockchain,
    reason,
    since: unixSeconds(since),
    actions: actionsFor(kind),
  }
}

function parseCursor(cursor: string | undefined) {
  if (cursor === undefined) return { since: 0, name: '' }
  const [, since, name] = /^(\d{1,15})\.([A-Za-z]+-[a-z_]+-[\x21-\x7e]{1,200})$/.exec(cursor) ?? []
  if (since === undefined || name === undefined) throw invalidCursor()
  return { since: Number(since), name }
}
