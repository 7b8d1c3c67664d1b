import { vi } from 'vitest'

/**
 * Keeps every turn of the queue before the hash waiting, however slow the machine is, until what it returns is called
 * (or `vi.restoreAllMocks`).
 */
export function holdHashQueue(): () => void {
  const gate = Promise.withResolvers<void>()
  const wait = vi.spyOn(scheduler, 'wait').mockImplementation(() => gate.promise)
  return () => {
    wait.mockRestore()
    gate.resolve()
  }
}
