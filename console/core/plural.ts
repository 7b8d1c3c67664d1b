import { groupDigits } from './size-text.ts'

/** "1 file", "215 files". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`
}

/** "a.txt, b.txt, c.txt and 147 more". */
export function listed(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(', ')
  const more = names.length - most
  return more > 0 ? `${shown} and ${groupDigits(more)} more` : shown
}
