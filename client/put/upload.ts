import { MAX_LISTED_ITEMS } from '../../contract/limits.ts'
import { inGroups } from '../../reader/in-groups.ts'
import { mapBounded } from '../../reader/map-bounded.ts'
import { ApiError, HooklineError } from '../http/api-error.ts'
import type { foldersOf } from '../resources/folders.ts'
import type { itemsOf } from '../resources/items.ts'
import { missingChunks, missingFiles } from '../resources/merge.ts'
import type { Item, StorageTarget } from '../types.ts'
import { contentDigest, readSlice } from './byte-source.ts'
import type { FileState, OrderJournal } from './order-journal.ts'
import { foldersOfPlan, type PlannedFile } from './put-plan.ts'

/** A file of the order that could not be stored, with the reason. */
export interface FailedFile {
  path: string
  error: Error
}

export interface Upload {
  items: ReturnType<typeof itemsOf>
  folders: ReturnType<typeof foldersOf>
  journal: OrderJournal
  files: readonly PlannedFile[]
  /** SHA-256 of each file, in lowercase hex. */
  hashes: readonly string[]
  to: StorageTarget
  /** Name of the directory that all files become; `undefined` for one item each. */
  directory: string | undefined
  /** Paths of folders that contain none of the files, if they become a directory. */
  emptyFolders: readonly string[]
  /** Folder of the account to store the order in. */
  folder: string | undefined
  /** Whether files that the caller's stored items contain are linked instead of sent. */
  linkKnown: boolean
  /** As for a merge. */
  index: boolean | undefined
  signal: AbortSignal | undefined
  /** Called with the files to send before the first item is created; an error thrown here ends the upload. */
  beforeItems(files: readonly PlannedFile[]): Promise<void>
  onSent(bytes: number): void
  onMerged(path: string): void
}

/** Most files in one `known` request: with long paths it stays below 1 MiB. */
const MAX_ASKED = 500
/** Files and chunks under way at once. */
const FILES_AT_ONCE = 4
const CHUNKS_AT_ONCE = 4

/**
 * Brings all files to `402 Payment Required`. A failed file does not stop the others. Resumes where the journal ends.
 */
export async function uploadOrder(upload: Upload): Promise<{ items: Item[]; failed: FailedFile[] }> {
  const { journal, files } = upload
  if (journal.state.directory !== undefined) return sendDirectory(upload, [])
  // The files to send are known before anything is created, or, with `linkKnown`, when the folder has linked the known
  // ones.
  if (!upload.linkKnown) await upload.beforeItems(files.filter((_, index) => !journal.state.known.has(index)))
  await makeFolders(upload)
  if (upload.linkKnown) await linkKnownFiles(upload)
  const wanted = files.map((_, index) => index).filter((index) => !journal.state.linked.has(index))
  if (upload.linkKnown) await upload.beforeItems(wanted.flatMap((index) => files[index] ?? []))
  for (const index of journal.state.linked) upload.onSent(files[index]?.source.size ?? 0)
  await createItems(upload, wanted)
  return upload.directory === undefined ? sendFiles(upload, wanted) : sendDirectory(upload, wanted)
}

async function makeFolders(upload: Upload): Promise<void> {
  const { journal, files, emptyFolders, folders, to, directory, folder, signal } = upload
  const { state } = journal
  const make = async (path: string, name: string, parent: string | undefined) => {
    if (state.folders.has(path)) return
    const order = { name, blockchain: to, order: state.id, ...(parent !== undefined && { parent }) }
    const { id } = await folders.create(order, { idempotencyKey: `${state.id}-folder-${state.folders.size}`, signal })
    await journal.write({ kind: 'folder', path, id })
  }
  if (directory !== undefined) {
    // A merged folder accepts no more files, and the same name would return the same folder.
    const time = new Date(state.begunAt * 1000).toISOString().slice(0, 19).replace('T', ' ')
    await make('', `${directory.slice(0, 200)} ${time} ${state.id.slice(0, 4)}`, folder)
  }
  for (const path of foldersOfPlan(files, emptyFolders)) {
    const cut = path.lastIndexOf('/')
    const parent = cut < 0 ? (state.folders.get('') ?? folder) : state.folders.get(path.slice(0, cut))
    await make(path, path.slice(cut + 1), parent)
  }
}

async function linkKnownFiles({ journal, files, hashes, folders, signal }: Upload): Promise<void> {
  const root = journal.state.folders.get('')
  const { state } = journal
  // Repeated after a restart: linking again changes nothing, but sending a linked file would be a collision. If all
  // files are linked, the folder may already be merged and accepts nothing more.
  if (root === undefined || state.files.size > 0 || state.linked.size === files.length) return
  const own = files.map(({ path, source }, index) => ({ path, size: source.size, sha256: hashes[index] ?? '' }))
  const linked = new Set<string>()
  for (const asked of inGroups(own, MAX_ASKED)) {
    for (const path of await folders.known(root, asked, { signal })) linked.add(path)
  }
  const indexes = files.flatMap(({ path }, index) => (linked.has(path) ? [index] : []))
  if (indexes.length > 0) await journal.write({ kind: 'linked', files: indexes })
}

async function createItems({ journal, files, items, to, folder, signal }: Upload, wanted: number[]): Promise<void> {
  const { state } = journal
  const missing = wanted.filter((index) => !state.files.has(index))
  for (const batch of inGroups(missing, MAX_LISTED_ITEMS)) {
    const orders = batch.flatMap((index) => {
      const file = files[index]
      if (!file) return []
      const parent = state.folders.get(file.folder) ?? folder
      const { name, mimetype, source } = file
      const about = { name, mimetype, blockchain: to, size: source.size, order: state.id }
      return [{ ...about, ...(parent !== undefined && { folder: parent }) }]
    })
    // The same files have the same key in every run; another batch has another first file, and items that are created
    // again have another count of lost ones.
    const idempotencyKey = `${state.id}-items-${batch[0]}-${batch.length}${state.lost > 0 ? `-${state.lost}` : ''}`
    const [only] = orders
    const made =
      only && orders.length === 1
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
}

/** Sends what is not sent, then merges what is not merged: in lists if the service accepts lists. */
async function sendFiles(upload: Upload, wanted: number[]): Promise<{ items: Item[]; failed: FailedFile[] }> {
  const { journal, files, onSent } = upload
  const stepOf = (index: number) => journal.state.files.get(index)?.step
  const failed: FailedFile[] = []
  const items: Item[] = []
  await mapBounded(wanted, FILES_AT_ONCE, async (index) => {
    const file = files[index]
    const state = journal.state.files.get(index)
    if (!file || !state) return
    if (state.step === 'sent' || state.step === 'merged') return onSent(file.source.size)
    await settle(upload, index, failed, () => sendFile(upload, index, file, state, items))
  })
  const merged = wanted.filter((index) => stepOf(index) === 'merged')
  const sent = wanted.filter((index) => stepOf(index) === 'sent')
  // Earlier merged items are read if one request is enough.
  const told = new Set(items.map(({ id }) => id))
  const before = merged.filter((index) => !told.has(journal.state.files.get(index)?.id ?? ''))
  const again = before.length <= MAX_LISTED_ITEMS ? before : []
  for (const batch of inGroups([...again, ...sent], MAX_LISTED_ITEMS)) {
    items.push(...(await mergeBatch(upload, batch, failed)))
  }
  const places = new Map(wanted.map((index) => [journal.state.files.get(index)?.id, index]))
  items.sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
  return { items, failed }
}

async function mergeBatch(upload: Upload, batch: readonly number[], failed: FailedFile[]): Promise<Item[]> {
  const { journal, files, items, index: indexed, signal, onMerged } = upload
  const ids = batch.map((index) => journal.state.files.get(index)?.id ?? '')
  const answers = ids.length > 1 ? await items.mergeMany(ids, { signal, index: indexed }) : []
  const done: number[] = []
  const merged = await mapBounded(batch, FILES_AT_ONCE, async (index, position) => {
    const answer = answers[position]
    let item = answer?.item
    await settle(upload, index, failed, async () => {
      if (answer?.refusal) throw answer.refusal
      // The only one, or still being merged.
      if (!item || item.status === '201 Created')
        item = await items.merge(ids[position] ?? '', { signal, index: indexed })
      done.push(index)
    })
    return item
  })
  const fresh = done.filter((index) => journal.state.files.get(index)?.step !== 'merged')
  if (fresh.length > 0) await journal.write({ kind: 'step', files: fresh, step: 'merged' })
  for (const index of fresh) onMerged(files[index]?.path ?? '')
  return merged
    .filter((item, position) => item !== undefined && done.includes(batch[position] ?? -1))
    .flatMap((item) => item ?? [])
}

/** Runs a step of one file. Its failure is recorded and does not stop the others. */
async function settle({ journal, files }: Upload, index: number, failed: FailedFile[], run: () => Promise<void>) {
  try {
    await run()
  } catch (error) {
    if (!isOfOneFile(error)) throw error
    // Expired or deleted: the next run creates it again.
    if (error instanceof ApiError && error.status === 404) await journal.write({ kind: 'lost', index })
    failed.push({ path: files[index]?.path ?? '', error })
  }
}

async function sendFile(upload: Upload, index: number, file: PlannedFile, state: FileState, merged: Item[]) {
  const { items, journal, signal, onSent, onMerged } = upload
  let chunks: readonly number[] | undefined
  if (state.step === 'begun') {
    // What arrived before the interruption is not sent again: the service lists what is missing.
    const answer = await mergeOrMissing(() => items.merge(state.id, { signal, index: upload.index }))
    if (!Array.isArray(answer)) {
      await journal.write({ kind: 'step', files: [index], step: 'merged' })
      merged.push(answer)
      onSent(file.source.size)
      onMerged(file.path)
      return
    }
    chunks = answer
  } else await journal.write({ kind: 'step', files: [index], step: 'begun' })
  await sendChunks(upload, file, state, chunks)
  await journal.write({ kind: 'step', files: [index], step: 'sent' })
}

async function mergeOrMissing(merge: () => Promise<Item>): Promise<Item | number[]> {
  try {
    return await merge()
  } catch (error) {
    const missing = error instanceof ApiError && error.status === 409 ? missingChunks(error.details) : []
    if (missing.length > 0) return missing
    throw error
  }
}

/** Sends the named chunks, or all. Progress counts the others as sent. */
async function sendChunks(
  { items, signal, onSent }: Upload,
  { source }: PlannedFile,
  { id, chunkSize, chunks }: FileState,
  missing: readonly number[] = Array.from({ length: chunks }, (_, index) => index),
): Promise<void> {
  const endOf = (index: number) => Math.min((index + 1) * chunkSize, source.size)
  const left = missing.reduce((sum, index) => sum + endOf(index) - index * chunkSize, 0)
  onSent(source.size - left)
  await mapBounded(missing, CHUNKS_AT_ONCE, async (index) => {
    const bytes = await readSlice(source, index * chunkSize, endOf(index))
    await items.sendChunk(id, index, bytes, { digest: await contentDigest(bytes), signal })
    onSent(bytes.length)
  })
}

/** The files of a directory are merged together; if one fails, the directory is not created. */
async function sendDirectory(upload: Upload, wanted: number[]): Promise<{ items: Item[]; failed: FailedFile[] }> {
  const { journal, files, items, folders, index, signal, onSent, onMerged } = upload
  const { state } = journal
  if (state.directory !== undefined) return { items: [await items.get(state.directory, { signal })], failed: [] }
  const root = state.folders.get('') ?? ''
  const resumed = wanted.some((index) => state.files.get(index)?.step === 'begun')
  const missing = resumed ? await missingOfFolder(() => folders.merge(root, { signal, index })) : undefined
  const failed: FailedFile[] = []
  await mapBounded(wanted, FILES_AT_ONCE, async (at) => {
    const file = files[at]
    const known = state.files.get(at)
    if (!file || !known) return
    if (known.step === 'sent') return onSent(file.source.size)
    await settle(upload, at, failed, async () => {
      const chunks = known.step === 'begun' && missing ? (missing.get(known.id) ?? []) : undefined
      await journal.write({ kind: 'step', files: [at], step: 'begun' })
      await sendChunks(upload, file, known, chunks)
      await journal.write({ kind: 'step', files: [at], step: 'sent' })
    })
  })
  if (failed.length > 0) return { items: [], failed }
  const item = await folders.merge(root, { signal, index })
  await journal.write({ kind: 'directory', id: item.id })
  onMerged(item.name)
  return { items: [item], failed: [] }
}

async function missingOfFolder(merge: () => Promise<Item>): Promise<Map<string, number[]>> {
  try {
    await merge()
    return new Map()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    return new Map(missingFiles(error.details).map(({ id, chunks }) => [id, chunks]))
  }
}

/** Whether an error concerns one file only. An ended login or an unreachable service ends the run. */
function isOfOneFile(error: unknown): error is Error {
  if (error instanceof ApiError) return error.status < 500 && ![401, 403, 408, 429].includes(error.status)
  if (error instanceof HooklineError) return error.code === 'content_changed'
  // A file that cannot be read: errors of the file system have a code such as EACCES.
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
}
