import type { StorageTarget } from '../../protocol/chains.ts'
import type { ChosenFile } from '../core/chosen-files.ts'
import { type Order, type OrderFile, orderStep } from '../core/order.ts'
import { claims } from '../session/access.ts'
import { changeLive, freshOrder, orderOf, putOrder } from './known-orders.ts'
import { setSources } from './order-sources.ts'
import type { FileSource } from './read-dropped.ts'
import { changeOrder, ownOrder } from './share-orders.ts'
import { uploadOrder } from './upload-order.ts'

/** Delay after another tab released its lock, in which its last message about the order arrives. */
const FINAL_MESSAGE_MS = 1000

/** Orders that this tab runs; `again` says that one was changed meanwhile, and what it runs may not have seen that. */
const running = new Map<string, { controller: AbortController; again: boolean }>()

/** The options that apply to a whole order. */
export type OrderOptions = Pick<Order, 'website' | 'index' | 'site'>

/**
 * Creates an order of the chosen files and starts the upload. `uploaded` is the state of an existing upload of the file.
 * Returns the id of the order.
 */
export function startOrder(
  blockchain: StorageTarget,
  chosen: readonly ChosenFile<FileSource>[],
  options: OrderOptions = {},
  uploaded: { id: string | undefined; held: number } = { id: undefined, held: 0 },
): string {
  const files = chosen.map(({ path, size, mimetype, lastModified }): OrderFile => {
    return { path, size, mimetype, lastModified, state: 'waiting', ...uploaded, problem: undefined }
  })
  const id = createOrder(blockchain, files, options)
  setSources(id, chosen)
  void runOrder(id)
  return id
}

/** Creates an order without starting it. The caller registers the sources of the files. Returns the id of the order. */
export function createOrder(
  blockchain: StorageTarget,
  files: OrderFile[],
  { website, index, site }: OrderOptions = {},
): string {
  const id = crypto.randomUUID()
  const account = claims.value?.id ?? ''
  const createdAt = Math.floor(Date.now() / 1000)
  const empty = { items: [], payments: [], paused: false }
  putOrder(id, freshOrder({ id, account, blockchain, createdAt, files, ...empty, website, index, site }))
  return id
}

/** Creates an order that continues an upload of another browser. The user chose the same file here. Returns its id. */
export function continueUpload(
  upload: { id: string | undefined; blockchain: StorageTarget; received: number },
  file: ChosenFile<FileSource>,
): string {
  return startOrder(upload.blockchain, [file], {}, { id: upload.id, held: upload.received })
}

/**
 * Runs an order: uploads the missing files, then merges them. If this tab runs it already, it is run once more
 * afterwards. Only one tab runs an order. A second tab waits until the first has finished or is closed, and then
 * continues.
 */
export async function runOrder(id: string): Promise<void> {
  const known = orderOf(id)
  if (!known || known.paused) return
  const current = running.get(id)
  if (current) {
    current.again = true
    return
  }
  const own = { controller: new AbortController(), again: false }
  running.set(id, own)
  const { signal } = own.controller
  const run = async () => {
    const release = keepScreenOn()
    const disown = ownOrder(id)
    changeLive(id, (now) => ({ ...now, stopped: undefined }))
    try {
      do {
        own.again = false
        await uploadOrder(id, signal)
      } while (own.again && !signal.aborted)
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
        await new Promise((resolve) => setTimeout(resolve, FINAL_MESSAGE_MS))
        const order = orderOf(id)
        if (order && !order.paused && orderStep(order) === 'upload') await run()
      })
    }
  } finally {
    if (running.get(id) === own) running.delete(id)
  }
}

/** Calls `run` while this tab has the order's lock. Resolves to whether it got the lock. */
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

/** Whether this tab runs an order, or waits for another tab that runs it. */
export function isRunning(id: string): boolean {
  return running.has(id)
}

/** Sets whether each top folder of an order becomes a website, and continues the order. */
export function setWebsite(id: string, website: boolean): void {
  changeOrder(id, (order) => ({ ...order, website }))
  void runOrder(id)
}

export function pauseOrder(id: string): void {
  changeOrder(id, (order) => ({ ...order, paused: true }))
  running.get(id)?.controller.abort()
  running.delete(id)
}

export function resumeOrder(id: string): void {
  changeOrder(id, (order) => ({ ...order, paused: false }))
  void runOrder(id)
}

/** Keeps the screen of a phone on during an upload. Returns a function that releases it. */
function keepScreenOn(): () => void {
  let lock: WakeLockSentinel | undefined
  let over = false
  const ask = async () => {
    if (over || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
    // A low battery refuses it, which does no harm.
    lock = await navigator.wakeLock.request('screen').catch(() => undefined)
    if (over) void lock?.release()
  }
  // The browser releases the lock when the page is hidden.
  document.addEventListener('visibilitychange', ask)
  void ask()
  return () => {
    over = true
    document.removeEventListener('visibilitychange', ask)
    void lock?.release()
  }
}
