import { HooklineError } from '../http/api-error.ts'
import { memoryStateStore, type StateStore } from './state-store.ts'

/**
 * Keeps orders in files below `folder`; without it where the command `hookline` keeps them too
 * (`$XDG_STATE_HOME/hookline`, else `~/.local/state/hookline`). Node, Deno and Bun.
 * @throws {HooklineError} at its first use: `no_state_store` where there are no files
 */
export function fileStateStore(folder?: string): StateStore {
  return lazyStore(async () => (await openFiles(folder)) ?? unavailable('files'))
}

/** Keeps orders in the IndexedDB database `name`: what pages and service workers of one origin share. */
export function indexedDbStateStore(name = 'hookline-orders'): StateStore {
  return lazyStore(async () => (await import('./indexed-db-store.ts')).openIndexedDbStore(name))
}

/** Keeps orders in `localStorage`, under keys that begin with `prefix`; browsers give it some 5 MB for everything. */
export function localStorageStateStore(prefix = 'hookline-order-'): StateStore {
  return lazyStore(async () => (await import('./local-storage-store.ts')).openLocalStorageStore(prefix))
}

/** What lasts longest here: files, else IndexedDB, else `localStorage`; memory where none of them can be had. */
export function defaultStateStore(): StateStore {
  return lazyStore(async () => {
    try {
      if (!('indexedDB' in globalThis)) return (await openFiles()) ?? (await firstOf(localStorageStateStore()))
      return await firstOf(indexedDbStateStore(), localStorageStateStore())
    } catch {
      // A folder that cannot be written, as in a container that is read-only.
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
      // A private window or a full disk may refuse it.
    }
  }
  return memoryStateStore()
}

function unavailable(what: string): never {
  throw new HooklineError('no_state_store', `This runtime has no ${what} to keep orders in.`)
}

/** Opens a store when it is used first, so that what it is made of is loaded only then. */
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
