import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

/** Verified bytes by CID, stored between visits. No method throws: what cannot be stored is fetched again. */
export interface Database {
  /** Whether anything is stored at all. */
  readonly persistent: boolean
  /** The database itself, for parts that need more of it; undefined if nothing is stored. */
  readonly db?: IDBPDatabase<Schema>
  /** In the order of the keys; shorter than they are where the database does not answer. */
  get(keys: readonly string[]): Promise<(Uint8Array | undefined)[]>
  put(records: readonly (readonly [key: string, bytes: Uint8Array])[]): Promise<void>
  delete(keys: readonly string[]): Promise<void>
}

interface Schema extends DBSchema {
  bytes: { key: string; value: Uint8Array }
  /** Separate from the bytes, so that a use can be recorded without writing the bytes again. */
  records: { key: string; value: { size: number; used: number }; indexes: { used: number } }
  totals: { key: 'size'; value: number }
}

const STORES: ('bytes' | 'records' | 'totals')[] = ['bytes', 'records', 'totals']
/** Rough storage cost of a record besides its bytes. */
const OVERHEAD = 200
const MOST = 256 << 20
/**
 * WebKit at times never answers: neither the request to open (https://bugs.webkit.org/show_bug.cgi?id=226547) nor a
 * transaction behind one of a page that was left while it wrote.
 */
const TIMEOUT = 3000

/** The same result, or a rejection with `undefined` after the timeout. */
export const inTime = <T>(work: Promise<T>) =>
  Promise.race([work, new Promise<never>((_, reject) => setTimeout(reject, TIMEOUT))])

/** Opens the page's database, or returns one that stores nothing if the browser has none. */
export async function openDatabase(): Promise<Database> {
  try {
    const opening = openDB<Schema>('hookline', 1, {
      upgrade(db) {
        db.createObjectStore('bytes')
        db.createObjectStore('records').createIndex('used', 'used')
        db.createObjectStore('totals')
      },
      blocking: (_current, _wanted, event) => {
        if (event.target instanceof IDBDatabase) event.target.close()
      },
    })
    return new StoredDatabase(await inTime(opening), await byteBudget())
  } catch {
    return {
      persistent: false,
      get: async () => [],
      put: async () => {},
      delete: async () => {},
    }
  }
}

async function byteBudget(): Promise<number> {
  const estimate = await navigator.storage?.estimate?.().catch(() => undefined)
  return Math.min(MOST, (estimate?.quota ?? MOST) / 4)
}

class StoredDatabase implements Database {
  readonly persistent = true
  readonly db: IDBPDatabase<Schema>
  readonly #budget: number
  #used = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #clock = 0

  constructor(db: IDBPDatabase<Schema>, budget: number) {
    this.db = db
    this.#budget = budget
  }

  async get(keys: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    try {
      const store = this.db.transaction('bytes').store
      const found = await inTime(Promise.all(keys.map((key) => store.get(key))))
      keys.forEach((key, index) => {
        if (found[index]) this.#used.add(key)
      })
      // Uses are written together, a moment later, so that reading does not wait for writing.
      this.#timer ??= setTimeout(() => this.put([]), 1000)
      return found
    } catch {
      // After this, every request to it fails at once instead of after another timeout.
      this.db.close()
      return []
    }
  }

  async put(records: readonly (readonly [key: string, bytes: Uint8Array])[]): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      await this.#write(records, this.#budget)
    } catch {
      // The disk is fuller than the browser reported. Make room for the next write.
      await this.#write([], this.#budget / 2).catch(() => {})
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    try {
      const transaction = this.db.transaction(STORES, 'readwrite')
      const totals = transaction.objectStore('totals')
      let total = (await totals.get('size')) ?? 0
      for (const key of keys) {
        const record = await transaction.objectStore('records').get(key)
        total -= record?.size ?? 0
        transaction.objectStore('records').delete(key)
        transaction.objectStore('bytes').delete(key)
      }
      totals.put(total, 'size')
      await transaction.done
    } catch {}
  }

  async #write(records: readonly (readonly [string, Uint8Array])[], budget: number): Promise<void> {
    const touched = this.#used
    this.#used = new Set()
    // One transaction, so that two tabs cannot both see the same free room.
    const transaction = this.db.transaction(STORES, 'readwrite')
    const done = transaction.done
    done.catch(() => {})
    const store = transaction.objectStore('records')
    const bytesStore = transaction.objectStore('bytes')
    const totals = transaction.objectStore('totals')
    let total = (await totals.get('size')) ?? 0
    for (const key of touched) {
      const record = await store.get(key)
      if (record) store.put({ ...record, used: this.#now() }, key)
    }
    for (const [key, bytes] of records) {
      const size = bytes.length + OVERHEAD
      if (size > budget || (await store.getKey(key)) !== undefined) continue
      // Copied, because a view would be stored with its whole buffer.
      bytesStore.put(bytes.slice(), key)
      store.put({ size, used: this.#now() }, key)
      total += size
    }
    for (
      let cursor = await store.index('used').openCursor();
      cursor && total > budget;
      cursor = await cursor.continue()
    ) {
      total -= cursor.value.size
      bytesStore.delete(cursor.primaryKey)
      cursor.delete()
    }
    totals.put(total, 'size')
    await done
  }

  /** The time in ms, strictly increasing, so that uses can be ordered. */
  #now(): number {
    this.#clock = Math.max(Date.now(), this.#clock + 0.001)
    return this.#clock
  }
}
