import { MAX_LISTED_ITEMS } from '../../contract/limits.ts'
import { toHex } from '../../protocol/bytes.ts'
import { inGroups } from '../../reader/in-groups.ts'
import { mapBounded } from '../../reader/map-bounded.ts'
import { ApiError, HooklineError } from '../http/api-error.ts'
import type { ItemUploads } from '../resources/item-uploads.ts'
import type { StorageTarget } from '../types.ts'
import { contentDigest, readSlice, sha256Of } from './byte-source.ts'
import type { FileState, Journal } from './order-journal.ts'
import type { PlannedFile } from './put-plan.ts'

/** One chunk of an item. */
interface Chunk {
  id: string
  index: number
  bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 in base 64. */
  digest: string
}

/**
 * Sends a chunk until the service has it. `onSent` may be called with how many of its bytes have left, which is less
 * again when it is sent once more.
 */
export type SendChunk = (chunk: Chunk, onSent: (bytes: number) => void) => Promise<void>

/** What sending the files of an order needs. Files have the same index in the journal. */
export interface Sending {
  items: Pick<ItemUploads, 'create' | 'createMany' | 'held'>
  journal: Journal
  files: readonly PlannedFile[]
  to: StorageTarget
  /** Folder of the account that the order is stored in. */
  folder: string | undefined
  send: SendChunk
  /** Whether the chunks that the service has of a file are compared with it before more are sent. */
  compares?(index: number): boolean
  /** Whether a file is still to be sent when its turn comes. */
  isWanted?(index: number): boolean
  /** Called with a file whose item the service refuses to create. Without it, such a refusal ends the order. */
  onRefused?(index: number, error: ApiError): void
  /** Called with the bytes of a file that the service has, and with those that have left as well. */
  onBytes(index: number, held: number, sent: number): void
  /** Called with the error of one file. The others are sent on. */
  onFailed(index: number, error: Error): void
  signal: AbortSignal | undefined
}

/** Files and chunks under way at once. */
const FILES_AT_ONCE = 4
const CHUNKS_AT_ONCE = 4

/** Codes of refusals that are about one file of a list. */
const OF_ONE_FILE = new Set(['invalid_field', 'item_too_large', 'content_too_large'])

/** Creates the items of the files that have none, at most 100 in a request. */
export async function createItems(sending: Sending, wanted: readonly number[]): Promise<void> {
  const { journal, isWanted } = sending
  const missing = wanted.filter((index) => !journal.state.files.has(index))
  for (const batch of inGroups(missing, MAX_LISTED_ITEMS)) {
    await createBatch(
      sending,
      batch.filter((index) => isWanted?.(index) !== false),
    )
  }
}

async function createBatch(sending: Sending, batch: readonly number[]): Promise<void> {
  const { onRefused } = sending
  try {
    await createListed(sending, batch)
  } catch (error) {
    if (!onRefused || !isOfOneFile(error) || !(error instanceof ApiError)) throw error
    // Of a list none is created: which of them is refused, shows when each is created alone.
    if (batch.length > 1 && OF_ONE_FILE.has(error.code)) for (const index of batch) await createBatch(sending, [index])
    else for (const index of batch) onRefused(index, error)
  }
}

async function createListed({ journal, files, items, to, folder, signal }: Sending, batch: readonly number[]) {
  const { state } = journal
  const orders = batch.flatMap((index) => {
    const file = files[index]
    if (!file) return []
    const parent = state.folders.get(file.folder) ?? folder
    const { name, mimetype, source } = file
    const about = { name, mimetype, blockchain: to, size: source.size, order: state.id }
    return [{ ...about, ...(parent !== undefined && { folder: parent }) }]
  })
  const [only] = orders
  if (!only) return
  const idempotencyKey = journal.keyOf(`items-${batch[0]}-${batch.length}`)
  const made =
    orders.length === 1
      ? [await items.create(only, { idempotencyKey, signal })]
      : await items.createMany(orders, { idempotencyKey, signal })
  if (made.length !== batch.length) {
    throw new HooklineError('unexpected_answer', `${made.length} of ${batch.length} items were created.`)
  }
  // One record for all that one request created. If the run is killed before it, the next run repeats the request
  // with the same key.
  const entries = made.map(({ id, chunkSize, chunks }, position) => {
    return [batch[position] ?? 0, id, chunkSize, chunks] as const
  })
  await journal.write({ kind: 'files', entries })
}

/** Sends what is not sent of the files that have items. A failed file does not stop the others. */
export async function sendFiles(sending: Sending, wanted: readonly number[]): Promise<void> {
  await mapBounded(wanted, FILES_AT_ONCE, (index) =>
    settle(sending, index, async () => {
      const file = sending.files[index]
      const state = sending.journal.state.files.get(index)
      if (file && state && sending.isWanted?.(index) !== false) await sendFile(sending, index, file, state)
    }),
  )
}

/** Runs a step of one file. Its failure is reported and does not stop the others. */
export async function settle({ journal, onFailed }: Sending, index: number, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!isOfOneFile(error)) throw error
    // Expired or deleted: the next run creates it again.
    if (error instanceof ApiError && error.status === 404) await journal.write({ kind: 'lost', index })
    onFailed(index, error)
  }
}

async function sendFile(sending: Sending, index: number, file: PlannedFile, state: FileState): Promise<void> {
  const { journal, onBytes } = sending
  const { size } = file.source
  if (state.step === 'sent' || state.step === 'merged') return onBytes(index, size, size)
  const isResumed = state.step === 'begun'
  if (!isResumed) await journal.write({ kind: 'step', files: [index], step: 'begun' })
  const { chunkSize, first } = isResumed ? await readHeld(sending, index, file, state) : { ...state, first: 0 }
  await sendChunks(sending, index, file, { id: state.id, chunkSize, first })
  await journal.write({ kind: 'step', files: [index], step: 'sent' })
}

/**
 * Where an interrupted upload continues: after the chunks that the service has from the beginning.
 * @throws {HooklineError} `other_content` if they are compared, and are those of something else
 */
async function readHeld(
  { items, compares, signal }: Sending,
  index: number,
  { source }: PlannedFile,
  { id }: FileState,
) {
  try {
    const { chunkSize, hashes } = await items.held(id, { signal })
    if (compares?.(index) && !(await isBeginning(source, { chunkSize, hashes }))) {
      throw new HooklineError('other_content', 'This upload was begun with other content. Begin a new one.')
    }
    return { chunkSize, first: hashes.length }
  } catch (error) {
    // It is merged, or being merged: nothing is missing.
    if (!(error instanceof ApiError && error.status === 409)) throw error
    return { chunkSize: Math.max(1, source.size), first: 1 }
  }
}

/** Whether chunks with these SHA-256 (hex) are the beginning of `source`. */
export async function isBeginning(
  source: PlannedFile['source'],
  { chunkSize, hashes }: { chunkSize: number; hashes: readonly string[] },
): Promise<boolean> {
  for (const [index, wanted] of hashes.entries()) {
    const end = Math.min((index + 1) * chunkSize, source.size)
    if (end <= index * chunkSize) return false
    const digest = await sha256Of(await readSlice(source, index * chunkSize, end))
    if (toHex(digest) !== wanted.toLowerCase()) return false
  }
  return true
}

/** Sends the chunks from `first` on. */
async function sendChunks(
  { send, signal, onBytes }: Sending,
  index: number,
  { source }: PlannedFile,
  { id, chunkSize, first }: { id: string; chunkSize: number; first: number },
): Promise<void> {
  const { size } = source
  let held = Math.min(first * chunkSize, size)
  const left = new Map<number, number>()
  const tell = () =>
    onBytes(
      index,
      held,
      [...left.values()].reduce((sum, bytes) => sum + bytes, held),
    )
  tell()
  const chunks = Array.from({ length: Math.max(0, Math.ceil(size / chunkSize) - first) }, (_, place) => first + place)
  await mapBounded(chunks, CHUNKS_AT_ONCE, async (chunk) => {
    signal?.throwIfAborted()
    const bytes = await readSlice(source, chunk * chunkSize, Math.min((chunk + 1) * chunkSize, size))
    try {
      await send({ id, index: chunk, bytes, digest: await contentDigest(bytes) }, (count) => {
        left.set(chunk, count)
        tell()
      })
      held += bytes.length
    } finally {
      left.delete(chunk)
      tell()
    }
  })
}

/** Whether an error concerns one file only. An ended login or an unreachable service ends the run. */
function isOfOneFile(error: unknown): error is Error {
  if (error instanceof ApiError) return error.status < 500 && ![401, 403, 408, 429].includes(error.status)
  if (error instanceof HooklineError) return error.code === 'content_changed' || error.code === 'other_content'
  // A file that cannot be read: errors of the file system have a code such as EACCES.
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
}
