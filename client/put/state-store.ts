/**
 * Keeps what is known of unfinished orders, so that a run that was killed goes on where it was. Records are short
 * texts; what `append` resolved for must be there after a crash, a record that was cut off must not.
 */
export interface StateStore {
  /** The records of `key`, in the order they were appended. */
  read(key: string): Promise<readonly string[]>
  append(key: string, record: string): Promise<void>
  remove(key: string): Promise<void>
  /** Keeps others from the order until the returned function is called; rejects where somebody holds it. */
  lock?(key: string): Promise<() => Promise<void>>
}

/** Remembers for as long as it lives. */
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
