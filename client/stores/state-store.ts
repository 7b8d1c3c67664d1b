/**
 * Stores what is known of orders, finished ones too, so that a killed run can resume and nothing is paid twice. Records
 * are short texts. After a crash a record must exist if `append` resolved, and must not be partial.
 */
export interface StateStore {
  /** The records of `key`, in the order they were appended. */
  read(key: string): Promise<readonly string[]>
  /** Appends a record to those of `key`. */
  append(key: string, record: string): Promise<void>
  /** Deletes `key`. */
  remove(key: string): Promise<void>
  /**
   * Locks the order until the returned function is called.
   * @throws {HooklineError} `running_already` if another run has the lock
   */
  lock?(key: string): Promise<() => Promise<void>>
}

/** Stores orders in memory. A later process knows nothing of them and would pay again. */
export function memoryStateStore(): StateStore {
  const kept = new Map<string, string[]>()
  return {
    read: async (key) => [...(kept.get(key) ?? [])],
    append: async (key, record) => {
      kept.set(key, [...(kept.get(key) ?? []), record])
    },
    remove: async (key) => {
      kept.delete(key)
    },
  }
}
