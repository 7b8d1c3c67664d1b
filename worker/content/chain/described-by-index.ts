import { type ContentIndex, startsLikeIndex } from '../../../protocol/content-index.ts'
import type { ContentRecord } from './content-record.ts'
import type { ContentRequest } from './parse-request.ts'

/** Whether a record is the data of one transaction that begins like an index, which one request may ask for alone. */
export function mayBeIndex({ txids }: ContentRequest, { body }: ContentRecord): boolean {
  return txids.length === 1 && body instanceof Uint8Array && startsLikeIndex(body)
}

/** The record of the parts as an index has it: `identity` is never decoded, even if it is valid Brotli. */
export function describedByIndex(record: ContentRecord, { encoding }: Pick<ContentIndex, 'encoding'>): ContentRecord {
  return encoding === 'identity' && record.form.encoding !== 'identity'
    ? { body: record.body, form: { encoding } }
    : record
}
