import { NodeError } from '../rpc/rpc-transport.ts'
import type { AgentContext } from './agent-context.ts'
import {
  deleteFailedRecordStatement,
  type FailedRecord,
  type FailedRecordKind,
  selectFailedRecords,
  upsertFailedRecordStatement,
} from './failed-records.ts'

/** Waits before a record that failed is tried again, doubled each time; in milliseconds. */
const FIRST_RETRY = 2_000
const MAX_RETRY = 600_000

/** Whether an error says nothing about the record that was worked on: the node can't be asked for any. */
export function isOutage(error: unknown): boolean {
  return error instanceof NodeError && (error.failure === 'timeout' || error.failure === 'busy')
}

/** The backoff of a record in milliseconds, by the number of its failures. */
function waitAfter(tries: number): number {
  return Math.min(MAX_RETRY, FIRST_RETRY * 2 ** (tries - 1))
}

/**
 * Whether a failed record must still wait for its next try. If more than its whole delay is left, the clock was set back, and
 * the record does not wait.
 */
export function mustWait({ tries, retryAt }: Pick<FailedRecord, 'tries' | 'retryAt'>, now: number): boolean {
  return retryAt > now && retryAt <= now + waitAfter(tries)
}

/** What the work on a record returns that the step had no room for: a failed record stays one. */
export const NOT_TRIED = Symbol('not tried')

/**
 * Works on each record of a kind, `records` being all of them that are open, or, not the `whole`, some. One that fails is
 * recorded as failed with its reason, and tried again later; it does not stop the others. `tell` tells its owner before.
 * @throws where the node does not answer, or the database: what fails then is not the record.
 */
export async function eachRecord<T extends { id: string }>(
  context: AgentContext,
  kind: FailedRecordKind,
  records: readonly T[],
  work: (record: T) => Promise<unknown>,
  { whole = true, tell }: { whole?: boolean; tell?: (record: T, error: unknown) => Promise<unknown> } = {},
): Promise<void> {
  const { db, blockchain, now } = context
  const failedRecords = new Map((await selectFailedRecords(db, blockchain, kind)).map((row) => [row.id, row]))
  const done: string[] = []
  for (const record of records) {
    const row = failedRecords.get(record.id)
    failedRecords.delete(record.id)
    if (row && mustWait(row, now)) continue
    try {
      const outcome = await work(record).catch(async (error: unknown) => {
        if (!isOutage(error)) await tell?.(record, error)
        throw error
      })
      if (row && outcome !== NOT_TRIED) done.push(row.id)
    } catch (error) {
      await recordFailure(context, kind, record.id, error, row?.tries)
    }
  }
  const gone = whole ? [...failedRecords.keys(), ...done] : done
  if (gone.length > 0) await deleteFailedRecordStatement(db, blockchain, kind, gone).run()
}

/** Sets one record aside because of `error`. @throws {error} where it says nothing about the record. */
export async function recordFailure(
  { db, blockchain, now }: AgentContext,
  kind: FailedRecordKind,
  id: string,
  error: unknown,
  tries = 0,
): Promise<void> {
  if (isOutage(error)) throw error
  console.error('record_failed', blockchain, kind, id, error)
  const reason = error instanceof Error ? error.message : String(error)
  const retryAt = now + waitAfter(tries + 1)
  await upsertFailedRecordStatement(db, blockchain, { kind, id, reason, retryAt }, now).run()
}
