import type { StorageTarget } from '../../protocol/chains.ts'
import type { ChosenFile } from '../core/chosen-files.ts'
import { type Order, type OrderFile, orderStep } from '../core/order.ts'
import { claims } from '../session/access.ts'
import { changeLive, freshOrder, orderOf, putOrder } from './known-orders.ts'
import { setSources } from './order-sources.ts'
import type { FileSource } from './read-dropped.ts'
import { changeOrder, ownOrder } from './share-orders.ts'
import { uploadOrder } from './upload-order.ts'
import { holdWake } from './wake-lock.ts'

/** Within this time a tab has heard the last that another one said of an order. */
const LAST_WORD_MS = 1000

const running = new Map<string, AbortController>()

/** What an order is for. */
export type Purpose = Pick<Order, 'website' | 'index' | 'site'>

/** Makes an order of what was chosen and begins to upload it. Returns its id. */
export function startOrder(
  blockchain: StorageTarget,
  chosen: readonly ChosenFile<FileSource>[],
  purpose: Purpose = {},
  begun: { id: string | undefined; held: number } = { id: undefined, held: 0 },
): string {
  const files = chosen.map(({ path, size, mimetype, lastModified }): OrderFile => {
    return { path, size, mimetype, lastModified, state: 'waiting', ...begun, problem: undefined }
  })
  const id = beginOrder(blockchain, files, purpose)
  setSources(id, chosen)
  void runOrder(id)
  return id
}

/** Makes an order of files whose bytes are given apart. Returns its id. */
export function beginOrder(
  blockchain: StorageTarget,
  files: OrderFile[],
  { website, index, site }: Purpose = {},
): string {
  const id = crypto.randomUUID()
  const account = claims.value?.id ?? ''
  const createdAt = Math.floor(Date.now() / 1000)
  const begun = { items: [], payments: [], paused: false }
  putOrder(id, freshOrder({ id, account, blockchain, createdAt, files, ...begun, website, index, site }))
  return id
}

/** Makes an order of one upload that was begun elsewhere, with the same file chosen here. Returns its id. */
export function adoptUpload(
  upload: { id: string | undefined; blockchain: StorageTarget; received: number },
  file: ChosenFile<FileSource>,
): string {
  return startOrder(upload.blockchain, [file], {}, { id: upload.id, held: upload.received })
}

/**
 * Goes on with an order where it was: uploads what is missing, then merges. At most one tab does so; another one waits
 * until that tab is done or closed, and goes on then.
 */
export async function runOrder(id: string): Promise<void> {
  const known = orderOf(id)
  if (!known || running.has(id) || known.paused) return
  const controller = new AbortController()
  running.set(id, controller)
  const { signal } = controller
  const run = async () => {
    const release = holdWake()
    const disown = ownOrder(id)
    changeLive(id, (now) => ({ ...now, stopped: undefined }))
    try {
      await uploadOrder(id, signal)
    } finally {
      disown()
      release()
    }
  }
  try {
    if (!('locks' in navigator)) await run()
    else if (!(await withLock(id, { ifAvailable: true }, run))) {
      changeLive(id, (now) => ({ ...now, stopped: 'other_tab' }))
      await withLock(id, { signal }, async () => {
        await new Promise((resolve) => setTimeout(resolve, LAST_WORD_MS))
        const order = orderOf(id)
        if (order && !order.paused && orderStep(order) === 'upload') await run()
      })
    }
  } finally {
    if (running.get(id) === controller) running.delete(id)
  }
}

/** Runs `run` as the one tab that has the order's lock. Resolves to whether it was had. */
async function withLock(id: string, options: LockOptions, run: () => Promise<void>): Promise<boolean> {
  return await navigator.locks
    .request(`hookline-order-${id}`, options, async (lock) => {
      if (lock) await run()
      return lock !== null
    })
    .catch((error: unknown) => {
      if (options.signal?.aborted) return true
      throw error
    })
}

/** Whether this tab goes on with an order, or waits for the tab that does. */
export function isRunning(id: string): boolean {
  return running.has(id)
}

/** Says how the folders of an order are stored, which goes on then. */
export function chooseForm(id: string, website: boolean): void {
  changeOrder(id, (order) => ({ ...order, website }))
  void runOrder(id)
}

export function pauseOrder(id: string): void {
  changeOrder(id, (order) => ({ ...order, paused: true }))
  running.get(id)?.abort()
  running.delete(id)
}

export function resumeOrder(id: string): void {
  changeOrder(id, (order) => ({ ...order, paused: false }))
  void runOrder(id)
}
