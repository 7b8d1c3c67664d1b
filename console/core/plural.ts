import { groupDigits } from './size-text.ts'

/** "1 file", "215 files". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`
}
