/**
 * Keeps what is known of orders, the finished ones too, so that a run that was killed goes on where it was and nothing is
 * paid for twice. Records are short texts; what `append` resolved for must be there after a crash, a record that was cut
 * off must not.
 */
export interface StateStore {
  /** The records of `key`, in the order they were appended. */
  read(key: string): Promise<readonly string[]>
  /** Adds a record behind those of `key`. */
  append(key: string, record: string): Promise<void>
  /** Forgets `key`. */
  remove(key: string): Promise<void>
  /**
   * Keeps others from the order until the returned function is called. @throws {HooklineError} `running_already` where
   * somebody holds it
   */
  lock?(key: string): Promise<() => Promise<void>>
}

/** Remembers for as long as it lives: a later process knows nothing of its orders, and would pay for them again. */
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
