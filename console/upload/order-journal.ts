import type { FileState, Journal, SendingEntry } from '../../client/store/order-journal.ts'
import type { Order, OrderFile } from '../core/order.ts'
import { changeOrder, shareOrder } from './share-orders.ts'

/** Milliseconds to wait until the browser has stored an order, before its bytes are sent anyway. */
const KEEP_MS = 3000

/** The journal of an order that this tab uploads: the order itself, as this browser stores it. */
export function journalOf({ id, files: own, folders: made = {} }: Order): Journal {
  const folders = new Map(Object.entries(made))
  const files = new Map<number, FileState>()
  for (const [index, file] of own.entries()) {
    // The service tells the size of its chunks, and which it has, when the upload continues.
    const step = file.state === 'uploaded' ? 'sent' : 'begun'
    if (file.id !== undefined) files.set(index, { id: file.id, chunkSize: 0, chunks: 0, step })
  }
  const run = crypto.randomUUID()
  const change = (indexes: ReadonlySet<number>, to: (file: OrderFile, index: number) => OrderFile) =>
    changeOrder(id, (order) => ({
      ...order,
      // A file that was removed meanwhile stays removed.
      files: order.files.map((file, index) =>
        indexes.has(index) && file.state !== 'removed' ? to(file, index) : file,
      ),
    }))
  return {
    state: { id, folders, files },
    // A file may be chosen again after a reload, beside others than before: no key is used by two runs.
    keyOf: (request) => `${run}-${request}`,
    async write(entry: SendingEntry) {
      if (entry.kind === 'folder') {
        folders.set(entry.path, entry.id)
        changeOrder(id, (order) => ({ ...order, folders: Object.fromEntries(folders) }))
      } else if (entry.kind === 'files') {
        for (const [index, item, chunkSize, chunks] of entry.entries) {
          files.set(index, { id: item, chunkSize, chunks, step: 'created' })
        }
        const made = new Set(entry.entries.map(([index]) => index))
        change(made, (file, index) => ({ ...file, id: files.get(index)?.id }))
        // A reload now resumes these uploads.
        await Promise.race([shareOrder(id), new Promise((resolve) => setTimeout(resolve, KEEP_MS))])
      } else if (entry.kind === 'step') {
        for (const index of entry.files) {
          const file = files.get(index)
          if (file) files.set(index, { ...file, step: entry.step })
        }
        const state = entry.step === 'begun' ? 'uploading' : 'uploaded'
        change(new Set(entry.files), (file) => ({ ...file, state }))
      } else if (entry.kind === 'lost') {
        files.delete(entry.index)
        change(new Set([entry.index]), (file) => ({ ...file, id: undefined, held: 0 }))
      }
    },
  }
}
