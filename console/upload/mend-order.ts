import type { StorageTarget } from '../../protocol/chains.ts'
import { api } from '../api/client.ts'
import type { ChosenFile } from '../core/chosen-files.ts'
import { changeLive, type LiveOrder, orderOf } from './known-orders.ts'
import { copySources, hasLostHandles, matchSources, requestSourceAccess } from './order-sources.ts'
import type { FileSource } from './read-dropped.ts'
import { createOrder, runOrder } from './run-order.ts'
import { changeOrder } from './share-orders.ts'

/** Retries every failed file; what was uploaded is not sent again. */
export function retryFailed(id: string): void {
  changeOrder(id, (order) => ({
    ...order,
    files: order.files.map((file) =>
      file.state === 'failed' ? { ...file, state: 'waiting', problem: undefined } : file,
    ),
  }))
  void runOrder(id)
}

/** Removes files from the order and the server, then resumes the others. */
export async function removeFiles(id: string, paths: readonly string[]): Promise<void> {
  const gone = new Set(paths)
  const before = orderOf(id)?.files.filter(({ path }) => gone.has(path)) ?? []
  changeOrder(id, (order) => ({
    ...order,
    files: order.files.map((file) => (gone.has(file.path) ? { ...file, state: 'removed' } : file)),
  }))
  for (const file of before) {
    if (file.id === undefined) continue
    await api.DELETE('/v0/item/{id}', { params: { path: { id: file.id } } }).catch(() => undefined)
  }
  void runOrder(id)
}

/** Moves files of an order into a new order on `blockchain`. Returns its id. */
export function storeElsewhere(id: string, blockchain: StorageTarget, paths: readonly string[]): string {
  const taken = new Set(paths)
  const order = orderOf(id)
  const files = order?.files.filter(({ path, state }) => taken.has(path) && state !== 'removed') ?? []
  const next = createOrder(
    blockchain,
    files.map((file) => ({ ...file, state: 'waiting', id: undefined, held: 0, problem: undefined })),
    order,
  )
  copySources(id, next)
  void runOrder(next)
  void removeFiles(id, paths)
  return next
}

/**
 * Sets the sources of an order's files to newly chosen ones, by path, or by name and size. Returns the paths of chosen
 * files that do not belong to it.
 */
export function attachSources(id: string, chosen: readonly ChosenFile<FileSource>[]): string[] {
  const { given, other } = matchSources(id, orderOf(id)?.files ?? [], chosen)
  changeLive(id, (live) => ({ ...live, lost: live.lost.filter((path) => !given.has(path)) }))
  retryFailed(id)
  return other
}

/** Whether one press lets this tab read its lost files, because the browser stored their handles. */
export function canRequestAccess({ order, lost }: LiveOrder): boolean {
  return hasLostHandles(order.id, lost)
}

/** Asks the browser for permission to read the lost files, then resumes; must be called in a click handler. */
export async function requestAccess(id: string): Promise<void> {
  await requestSourceAccess(id)
  changeLive(id, (live) => ({ ...live, lost: [] }))
  await runOrder(id)
}
