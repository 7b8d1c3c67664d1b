import type { StateStore } from './state-store.ts'
import { lockByName } from './web-lock.ts'

/**
 * Stores the records of an order as the lines of one value.
 * @throws if the page may not use `localStorage`
 */
export function openLocalStorageStore(prefix: string): StateStore {
  const { localStorage } = globalThis
  const linesOf = (key: string) => (localStorage.getItem(prefix + key) ?? '').split('\n').slice(0, -1)
  return {
    read: async (key) => linesOf(key),
    async append(key, record) {
      localStorage.setItem(prefix + key, [...linesOf(key), record, ''].join('\n'))
    },
    async remove(key) {
      localStorage.removeItem(prefix + key)
    },
    lock: (key) => lockByName(prefix + key),
  }
}
