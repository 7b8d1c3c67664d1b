import type { Around } from './memory-d1.ts'

/** Has something happen once, just before an operation of database or bucket whose name or statements say so for the `nth` time. */
export function strikeAt(store: { around: Around }, name: RegExp, happen: () => unknown, nth = 1): void {
  const around = store.around
  let count = 0
  store.around = async (operation, effect, asked) => {
    if ([operation, ...asked()].some((part) => name.test(String(part))) && ++count === nth) {
      store.around = around
      await happen()
    }
    return await around(operation, effect, asked)
  }
}
