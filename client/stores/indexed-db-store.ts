import { type DBSchema, openDB } from 'idb'
import type { StateStore } from './state-store.ts'
import { lockByName } from './web-lock.ts'

interface Schema extends DBSchema {
  records: { key: number; value: { order: string; record: string }; indexes: { order: string } }
}

/** Opens the database. @throws where the browser refuses it */
export async function openIndexedDbStore(name: string): Promise<StateStore> {
  const db = await openDB<Schema>(name, 1, {
    upgrade(fresh) {
      fresh.createObjectStore('records', { autoIncrement: true }).createIndex('order', 'order')
    },
    blocking: (_current, _wanted, event) => {
      if (event.target instanceof IDBDatabase) event.target.close()
    },
  })
  return {
    // Entries of an index with the same key are sorted by their primary key, so by insertion.
    read: async (key) => (await db.getAllFromIndex('records', 'order', key)).map(({ record }) => record),
    async append(key, record) {
      // Strict: resolves only when the data is on the disk (Indexed Database API 3.0, durability hint).
      const change = db.transaction('records', 'readwrite', { durability: 'strict' })
      await change.store.add({ order: key, record })
      await change.done
    },
    async remove(key) {
      const change = db.transaction('records', 'readwrite')
      for (const place of await change.store.index('order').getAllKeys(key)) await change.store.delete(place)
      await change.done
    },
    lock: (key) => lockByName(`${name} ${key}`),
  }
}
