import { onTestFinished, vi } from 'vitest'

/**
 * Keeps every turn of the queue before the hash waiting, however slow the machine is, until what it returns is called or
 * the test ends: one that fails leaves nobody in the queue of the next.
 */
export function holdHashQueue(): () => void {
  const gate = Promise.withResolvers<void>()
  const wait = vi.spyOn(scheduler, 'wait').mockImplementation(() => gate.promise)
  const open = () => {
    wait.mockRestore()
    gate.resolve()
  }
  onTestFinished(open)
  return open
}
