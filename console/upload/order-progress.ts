import type { Sending } from '../../client/store/send-files.ts'
import { problemOf } from '../api/failure.ts'
import { addSample } from '../core/upload-rate.ts'
import { texts } from '../texts/index.ts'
import { changeLive, orderOf } from './known-orders.ts'
import { dropSource, noteCompared } from './order-sources.ts'
import { changeFile, changeOrder } from './share-orders.ts'

/** Milliseconds between two updates of what is under way. */
const TELL_MS = 200

/** Error code of a file that is not the one of its upload. */
const OTHER_FILE = 'other_content'

/** Records the progress of the files of an order: what the service has, and what is under way. */
export function bytesOf(id: string): Sending['onBytes'] {
  const underway = new Map<number, number>()
  let told = 0
  return (index, held, sent) => {
    const file = orderOf(id)?.files[index]
    if (!file) return
    noteCompared(id, file.path)
    const isNew = file.held !== held
    if (isNew) changeFile(id, file.path, { held })
    if (sent > held) underway.set(index, sent - held)
    else underway.delete(index)
    const now = Date.now()
    if (!isNew && now - told < TELL_MS) return
    told = now
    changeLive(id, (live) => {
      const flying = [...underway.values()].reduce((sum, bytes) => sum + bytes, 0)
      const all = live.order.files.reduce((sum, each) => sum + (each.state === 'removed' ? 0 : each.held), 0)
      const samples = addSample(live.samples, { at: now, received: all + flying })
      return { ...live, underway: flying, samples }
    })
  }
}

/** Says why an order waits, or that it continues. */
export function pause(id: string, reason: 'offline' | 'busy' | undefined): void {
  changeLive(id, (live) => {
    if (live.stopped === reason) return live
    const held = live.order.files.reduce((sum, file) => sum + file.held, 0)
    const outage =
      reason === 'offline'
        ? { from: Date.now(), until: undefined, held }
        : live.outage && live.outage.until === undefined
          ? { ...live.outage, until: Date.now() }
          : live.outage
    return { ...live, stopped: reason, outage }
  })
}

/** Marks a file as failed. */
export function fail(id: string, path: string, error: unknown): void {
  const problem = problemOf(error)
  const other = problem.code === OTHER_FILE
  if (other) {
    dropSource(id, path)
    lose(id, path)
  }
  // What the service no longer has was removed or has expired; its own sentence says less.
  const message = other ? texts.store.wrongFile(path) : problem.status === 404 ? '' : problem.message
  changeFile(id, path, { state: 'failed', problem: { ...problem, message } })
}

/** Marks a file that must be chosen again. */
export function lose(id: string, path: string): void {
  changeLive(id, (live) => ({ ...live, lost: [...new Set([...live.lost, path])] }))
}

/** Marks as failed what is not uploaded. */
export function failAll(id: string, error: unknown): void {
  const problem = problemOf(error)
  changeOrder(id, (order) => ({
    ...order,
    files: order.files.map((file) =>
      file.state === 'waiting' || file.state === 'uploading' ? { ...file, state: 'failed', problem } : file,
    ),
  }))
}
