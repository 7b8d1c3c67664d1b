import { MAX_LISTED_ITEMS } from '../../contract/limits.ts'
import { inGroups } from '../../reader/in-groups.ts'
import { sleep } from '../../reader/sleep.ts'
import { ApiError } from '../http/api-error.ts'
import { itemState } from '../item-state.ts'
import type { foldersOf } from '../resources/folders.ts'
import type { ItemUploads } from '../resources/item-uploads.ts'
import type { MergeOptions, MergeOutcome } from '../resources/merge.ts'
import { foldersOfPlan } from './put-plan.ts'
import { createItems, type Sending, sendFiles } from './send-files.ts'

/** Milliseconds between two requests for items that are still being merged. */
const LOOK_AGAIN_MS = 2_000

/** What becomes of a file, or of a folder that is one item. Before its merge it has neither item nor refusal. */
export interface Merged extends MergeOutcome {
  path: string
  /** Index of the file; `undefined` of a folder. */
  index: number | undefined
}

/** How an order is merged. */
export interface MergeForm {
  /** Paths of the folders that become one item each, with everything below; '' is the order's own. */
  whole: readonly string[]
  /** As for a merge. */
  index: boolean | undefined
}

/** What storing the files of an order needs, up to `402 Payment Required`. */
export interface Upload extends Sending {
  items: Sending['items'] & Pick<ItemUploads, 'mergeMany'>
  folders: Pick<ReturnType<typeof foldersOf>, 'create' | 'merge'>
  /** Name of the order's own folder, if it has one. */
  ownFolder?: string | undefined
  /** Paths of folders that contain none of the files. */
  emptyFolders?: readonly string[]
  /** Whether a merged folder of the same name stays as it is, and another one is created. */
  newVersion?: boolean
  /** The files to send. Called when all folders exist, before the first item is created. */
  wanted(): Promise<readonly number[]>
  /** Called when everything is sent; `undefined` if the order is not merged now. */
  mergesAs(): MergeForm | undefined
  /** Called with everything that will be merged, then with the outcomes of each request. */
  onMerged(outcomes: readonly Merged[]): void | Promise<void>
}

/**
 * Creates the folders and items of an order, sends the files, and merges them. Resumes where the journal ends. A failed
 * file does not stop the others.
 * @throws {HooklineError} an error that concerns the whole order
 */
export async function uploadOrder(upload: Upload): Promise<void> {
  await makeFolders(upload)
  const wanted = await upload.wanted()
  await createItems(upload, wanted)
  await sendFiles(upload, wanted)
  const form = upload.mergesAs()
  if (form) await mergeOrder(upload, form)
}

async function makeFolders(upload: Upload): Promise<void> {
  const { journal, files, folders, to, folder, ownFolder, emptyFolders, newVersion, signal } = upload
  const { state } = journal
  const make = async (path: string, name: string, parent: string | undefined) => {
    if (state.folders.has(path)) return
    const idempotencyKey = journal.keyOf(`folder-${state.folders.size}`)
    const { id } = await folders.create(
      { name, blockchain: to, order: state.id, newVersion, ...(parent !== undefined && { parent }) },
      { idempotencyKey, signal },
    )
    await journal.write({ kind: 'folder', path, id })
  }
  if (ownFolder !== undefined) await make('', ownFolder, folder)
  for (const path of foldersOfPlan(files, emptyFolders)) {
    const cut = path.lastIndexOf('/')
    const parent = cut < 0 ? (state.folders.get('') ?? folder) : state.folders.get(path.slice(0, cut))
    await make(path, path.slice(cut + 1), parent)
  }
}

/** Merges what is sent: the files in lists, and each folder that becomes one item. */
async function mergeOrder(upload: Upload, { whole, index: indexed }: MergeForm): Promise<void> {
  const { journal, files, items, signal, isWanted, onMerged } = upload
  const { state } = journal
  const isInside = (path: string) => whole.some((folder) => folder === '' || path.startsWith(`${folder}/`))
  const places = new Map<string, { path: string; index: number | undefined }>()
  const before = [...state.files.values()].filter(({ step }) => step === 'merged').length
  for (const [index, { path }] of files.entries()) {
    const file = state.files.get(index)
    // Earlier merged items are read if one request is enough.
    const isDue = file?.step === 'sent' || (file?.step === 'merged' && before <= MAX_LISTED_ITEMS)
    if (file && isDue && !isInside(path) && isWanted?.(index) !== false) places.set(file.id, { path, index })
  }
  const ids = [...places.keys()]
  const roots = whole.map((path) => ({ path, id: state.folders.get(path) ?? '' }))
  for (const { path, id } of roots) places.set(id, { path, index: undefined })
  const tell = (outcomes: readonly MergeOutcome[]) =>
    onMerged(
      outcomes.flatMap((outcome) => {
        const place = places.get(outcome.id)
        return place ? { ...outcome, ...place } : []
      }),
    )
  await tell([...places.keys()].map((id) => ({ id, item: undefined, refusal: undefined })))
  const options = { signal, index: indexed }
  for await (const outcomes of mergeFiles(items, ids, options)) {
    const merged = outcomes.flatMap(({ id, item }) => {
      const index = item && itemState(item) !== 'uploading' ? places.get(id)?.index : undefined
      return index !== undefined && state.files.get(index)?.step === 'sent' ? index : []
    })
    if (merged.length > 0) await journal.write({ kind: 'step', files: merged, step: 'merged' })
    await tell(outcomes)
  }
  for (const { id } of roots) await tell([await mergeFolder(upload, id, options)])
}

/**
 * Merges uploads, in lists, until none is still being merged. Yields the outcomes of each request; an item that is
 * `201 Created` comes again.
 * @throws {HooklineError} an error that concerns all of them
 */
async function* mergeFiles(
  items: Pick<ItemUploads, 'mergeMany'>,
  ids: readonly string[],
  options: MergeOptions,
): AsyncGenerator<readonly MergeOutcome[]> {
  for (const group of inGroups(ids, MAX_LISTED_ITEMS)) {
    for (let open = group; open.length > 0; ) {
      const outcomes = await items.mergeMany(open, options)
      yield outcomes
      open = outcomes.flatMap(({ id, item }) => (item && itemState(item) === 'uploading' ? [id] : []))
      if (open.length > 0) await sleep(LOOK_AGAIN_MS, options.signal)
    }
  }
}

async function mergeFolder({ folders, journal }: Upload, id: string, options: MergeOptions): Promise<MergeOutcome> {
  try {
    const item = await folders.merge(id, options)
    await journal.write({ kind: 'directory', id: item.id })
    return { id, item, refusal: undefined }
  } catch (error) {
    if (error instanceof ApiError) return { id, item: undefined, refusal: error }
    throw error
  }
}
