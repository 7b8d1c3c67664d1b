import { inGroups } from '../../reader/in-groups.ts'
import type { foldersOf } from '../resources/folders.ts'
import type { itemsOf } from '../resources/items.ts'
import type { Item, StorageTarget } from '../types.ts'
import type { OrderJournal } from './order-journal.ts'
import type { PlannedFile } from './put-plan.ts'
import { settle } from './send-files.ts'
import { type Upload, uploadOrder } from './upload.ts'

/** A file of the order that could not be stored, with the reason. */
export interface FailedFile {
  path: string
  error: Error
}

export interface PutOrder {
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
  onMerged(): void
}

/** Most files in one `known` request: with long paths it stays below 1 MiB. */
const MAX_ASKED = 500

/**
 * Brings all files to `402 Payment Required`. The files of a directory are merged together; if one fails, the directory
 * is not created.
 */
export async function storeFiles(order: PutOrder): Promise<{ items: Item[]; failed: FailedFile[] }> {
  const { journal, files, items, directory, index, signal, beforeItems, onSent } = order
  const { state } = journal
  if (state.directory !== undefined) return { items: [await items.get(state.directory, { signal })], failed: [] }
  // The files to send are known before anything is created, or, with `linkKnown`, when the folder has linked the known
  // ones.
  if (!order.linkKnown) await beforeItems(files.filter((_, place) => !state.known.has(place)))
  const failed: FailedFile[] = []
  const told = new Map<number, number>()
  const mergedBefore = new Set([...state.files].flatMap(([place, { step }]) => (step === 'merged' ? place : [])))
  const merged = new Map<number, Item>()
  const upload: Upload = {
    ...order,
    ownFolder: directory && `${directory.slice(0, 200)} ${timeOf(state.begunAt)} ${state.id.slice(0, 4)}`,
    async wanted() {
      if (order.linkKnown) await linkKnownFiles(order)
      const wanted = [...files.keys()].filter((place) => !state.linked.has(place))
      if (order.linkKnown) await beforeItems(wanted.flatMap((place) => files[place] ?? []))
      for (const place of state.linked) onSent(files[place]?.source.size ?? 0)
      return wanted
    },
    send: ({ id, index: chunk, bytes, digest }) => items.sendChunk(id, chunk, bytes, { digest, signal }),
    onBytes(place, held) {
      onSent(held - (told.get(place) ?? 0))
      told.set(place, held)
    },
    onFailed: (place, error) => void failed.push({ path: files[place]?.path ?? '', error }),
    mergesAs: () => {
      if (directory === undefined) return { whole: [], index }
      return failed.length === 0 ? { whole: [''], index } : undefined
    },
    async onMerged(outcomes) {
      for (const { index: place, item, refusal } of outcomes) {
        if (refusal) {
          if (place === undefined) throw refusal
          await settle(upload, place, () => Promise.reject(refusal))
        }
        if (!item || item.status === '201 Created') continue
        merged.set(place ?? 0, item)
        if (!mergedBefore.has(place ?? -1)) order.onMerged()
      }
    },
  }
  await uploadOrder(upload)
  return { items: [...merged].sort(([a], [b]) => a - b).map(([, item]) => item), failed }
}

/** A time in a name: a merged folder accepts no more files, and the same name would return the same folder. */
function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
}

/** Has the order's folder link the files that the caller's stored items contain, which are then not sent. */
async function linkKnownFiles({ journal, files, hashes, folders, signal }: PutOrder): Promise<void> {
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
