import { parseAccept } from 'hono/utils/accept'

/** A cell: untrusted text, or a `plain` value of our own, which needs no protection against formulas. */
export type CsvCell = string | { plain: string | number } | null

/**
 * Where a spreadsheet may see the start of a formula (OWASP, CSV injection). Full-width signs count too, and so do
 * positions after a separator of other locales, which split a quoted cell.
 */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?= *[=+\-@|%＝＋－＠])/g

/**
 * A table of comma-separated values (RFC 4180) with the names of the columns as its first row. An apostrophe is
 * inserted before text that a spreadsheet would run as a formula; `plain` values are unchanged.
 */
export function writeCsv(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell.plain)
  const text = cell.replaceAll(FORMULA, "'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Whether a client prefers a table to JSON (RFC 9110, 12.5.1). */
export function prefersCsv(accept: string | undefined): boolean {
  const weights = new Map(parseAccept(accept ?? '').map(({ type, q }) => [type.toLowerCase(), q]))
  const csv = weights.get('text/csv') ?? 0
  return csv > 0 && csv >= (weights.get('application/json') ?? 0)
}
