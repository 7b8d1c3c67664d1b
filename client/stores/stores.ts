import { HooklineError } from '../http/api-error.ts'
import { memoryStateStore, type StateStore } from './state-store.ts'

/**
 * Stores orders in files below `folder`, by default where the command `hookline` does (`$XDG_STATE_HOME/hookline`, else
 * `~/.local/state/hookline`). Node, Deno and Bun.
 * @throws {HooklineError} at its first use: `no_state_store` if there is no file system
 */
export function fileStateStore(folder?: string): StateStore {
  return lazyStore(async () => (await openFiles(folder)) ?? unavailable('files'))
}

/** Stores orders in the IndexedDB database `name`, which pages and service workers of one origin share. */
export function indexedDbStateStore(name = 'hookline-orders'): StateStore {
  return lazyStore(async () => (await import('./indexed-db-store.ts')).openIndexedDbStore(name))
}

/** Stores orders in `localStorage`, under keys that begin with `prefix`. Browsers allow some 5 MB in all. */
export function localStorageStateStore(prefix = 'hookline-order-'): StateStore {
  return lazyStore(async () => (await import('./local-storage-store.ts')).openLocalStorageStore(prefix))
}

/** The most durable store here: files, else IndexedDB, else `localStorage`, else memory. */
export function defaultStateStore(): StateStore {
  return lazyStore(async () => {
    try {
      if (!('indexedDB' in globalThis)) return (await openFiles()) ?? (await firstOf(localStorageStateStore()))
      return await firstOf(indexedDbStateStore(), localStorageStateStore())
    } catch {
      // A folder that is read-only, as in a container.
      return memoryStateStore()
    }
  })
}

const openFiles = async (folder?: string) => (await import('../node-files.ts')).openFileStore(folder)

async function firstOf(...stores: StateStore[]): Promise<StateStore> {
  for (const store of stores) {
    try {
      await store.read('')
      return store
    } catch {
      // A private window or a full disk may refuse access.
    }
  }
  return memoryStateStore()
}

function unavailable(what: string): never {
  throw new HooklineError('no_state_store', `This runtime has no ${what} to store orders in. Pass another state store.`)
}

/** A store that is opened at its first use, so that its module is loaded only then. */
function lazyStore(open: () => Promise<StateStore>): StateStore {
  let opening: Promise<StateStore> | undefined
  const opened = () => {
    opening ??= open()
    return opening
  }
  return {
    read: async (key) => (await opened()).read(key),
    append: async (key, record) => (await opened()).append(key, record),
    remove: async (key) => (await opened()).remove(key),
    lock: async (key) => (await (await opened()).lock?.(key)) ?? (async () => {}),
  }
}
