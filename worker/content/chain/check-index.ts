import { createHash } from 'node:crypto'
import type { ContentIndex } from '../../../protocol/content-index.ts'
import type { Env } from '../../platform/bindings.ts'
import { shareEventLoop } from '../../platform/flow/budget.ts'
import { type TakeMemory, withPriority } from '../../platform/flow/memory-budget.ts'
import { decodeSteps, type StoredForm } from './brotli.ts'
import { getRecord } from './bucket-records.ts'
import { partsOf, sizeOf } from './content-record.ts'
import type { FetchedList } from './fetch-list.ts'
import { inSteps, lengthOf } from './join-parts.ts'
import { INDEX_PREFIX, putListMark } from './list-mark.ts'

/** The result for an index after all of its parts were read. */
export type IndexMark = 'holds' | 'wrong'

/** The fields of an index about its content; `name` is that of the list with only the index. */
export type IndexDescription = Pick<ContentIndex, 'size' | 'sha256' | 'encoding'> & { name: string }

/** Bytes that are hashed between two turns of the event loop, and what that counts as in units of a budget. */
const TURN_BYTES = 512 << 10
const TURN_UNITS = 12

/** The joined data of the parts, as stored. */
interface Joined {
  form: StoredForm
  length: number
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

/**
 * Whether the content of an index is what the index says; the result is stored in R2. The content is read from the record of
 * `list` if that is `kept`, else from `fetch`. `missing` if a part does not exist; that is not stored.
 * @throws what `fetch` throws, {AppError} 503.
 */
export async function checkIndex(
  env: Env,
  says: IndexDescription,
  from: { list: string; kept: boolean; fetch: () => Promise<FetchedList | 'not_found'> },
  take: TakeMemory,
): Promise<IndexMark | 'missing'> {
  const record = from.kept ? await getRecord(env.BUCKET, from.list) : undefined
  let holds: boolean
  if (record) {
    const { form } = record
    holds = await holdsWhatIsSaid(says, { form, length: sizeOf(record), parts: partsOf(record) }, take)
  } else {
    const fetched = await from.fetch()
    if (fetched === 'not_found') return 'missing'
    const { form, content, share } = fetched
    // It already holds the memory of the fetched content, so it must not wait for more.
    const memory = share ? withPriority(take) : take
    holds = await holdsWhatIsSaid(says, { form, length: lengthOf(content), parts: inSteps(content) }, memory)
  }
  const found = holds ? 'holds' : 'wrong'
  await putListMark(env.BUCKET, { prefix: INDEX_PREFIX, list: says.name }, found)
  return found
}

/** Content of another length or form than the index says is not read. */
async function holdsWhatIsSaid(
  { size, sha256, encoding }: IndexDescription,
  { form, length, parts }: Joined,
  take: TakeMemory,
): Promise<boolean> {
  const decodes = encoding === 'br'
  if (decodes ? form.encoding !== 'br' || form.decodedBytes !== size : length !== size) return false
  const hash = createHash('sha256')
  let since = 0
  // Brotli of an empty file is recognised by its form alone.
  for await (const bytes of decodes && size > 0 ? decodeSteps(parts, take) : decodes ? [] : parts) {
    hash.update(bytes)
    since += bytes.length
    if (since < TURN_BYTES) continue
    since = 0
    await shareEventLoop(TURN_UNITS)
  }
  return hash.digest('hex') === sha256
}
