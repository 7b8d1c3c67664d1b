/** A count with its noun: `1 file`, `2,000 files`, `3 copies`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}
