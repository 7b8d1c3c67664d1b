import { MAX_LISTED_ITEMS } from '../../contract/limits.ts'
import { inGroups } from '../../reader/in-groups.ts'
import type { foldersOf } from '../resources/folders.ts'
import type { itemsOf } from '../resources/items.ts'
import type { Item, StorageTarget } from '../types.ts'
import { mergeFiles } from './merge-files.ts'
import type { OrderJournal } from './order-journal.ts'
import { foldersOfPlan, type PlannedFile } from './put-plan.ts'
import { createItems, type Sending, sendFiles, settle } from './send-files.ts'

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
  await createItems(sendingOf(upload).sending, wanted)
  return upload.directory === undefined ? sendAndMerge(upload, wanted) : sendDirectory(upload, wanted)
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

/** Sends what is not sent, then merges what is not merged. */
async function sendAndMerge(upload: Upload, wanted: number[]): Promise<{ items: Item[]; failed: FailedFile[] }> {
  const { journal, files, index: indexed, signal, onMerged } = upload
  const { sending, failed } = sendingOf(upload)
  await sendFiles(sending, wanted)
  const idOf = (index: number) => journal.state.files.get(index)?.id ?? ''
  const isAt = (step: string) => (index: number) => journal.state.files.get(index)?.step === step
  // Earlier merged items are read if one request is enough.
  const before = wanted.filter(isAt('merged'))
  const again = before.length <= MAX_LISTED_ITEMS ? before : []
  const places = new Map([...again, ...wanted.filter(isAt('sent'))].map((index) => [idOf(index), index]))
  const items: Item[] = []
  for await (const outcomes of mergeFiles(upload.items, [...places.keys()], { signal, index: indexed })) {
    const fresh: number[] = []
    for (const { id, item, refusal } of outcomes) {
      const index = places.get(id) ?? -1
      await settle(sending, index, async () => {
        if (refusal) throw refusal
        if (!item || item.status === '201 Created') return
        items.push(item)
        if (!isAt('merged')(index)) fresh.push(index)
      })
    }
    if (fresh.length > 0) await journal.write({ kind: 'step', files: fresh, step: 'merged' })
    for (const index of fresh) onMerged(files[index]?.path ?? '')
  }
  items.sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
  return { items, failed }
}

/** What sends the files of an order, and the list of those that fail. */
function sendingOf(upload: Upload): { sending: Sending; failed: FailedFile[] } {
  const { items, files, signal, onSent } = upload
  const failed: FailedFile[] = []
  const told = new Map<number, number>()
  const sending: Sending = {
    ...upload,
    send: ({ id, index, bytes, digest }) => items.sendChunk(id, index, bytes, { digest, signal }),
    onBytes(index, held) {
      onSent(held - (told.get(index) ?? 0))
      told.set(index, held)
    },
    onFailed: (index, error) => void failed.push({ path: files[index]?.path ?? '', error }),
  }
  return { sending, failed }
}

/** The files of a directory are merged together; if one fails, the directory is not created. */
async function sendDirectory(upload: Upload, wanted: number[]): Promise<{ items: Item[]; failed: FailedFile[] }> {
  const { journal, items, folders, index, signal, onMerged } = upload
  const { state } = journal
  if (state.directory !== undefined) return { items: [await items.get(state.directory, { signal })], failed: [] }
  const { sending, failed } = sendingOf(upload)
  await sendFiles(sending, wanted)
  if (failed.length > 0) return { items: [], failed }
  const item = await folders.merge(state.folders.get('') ?? '', { signal, index })
  await journal.write({ kind: 'directory', id: item.id })
  onMerged(item.name)
  return { items: [item], failed: [] }
}
