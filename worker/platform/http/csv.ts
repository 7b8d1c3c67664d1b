/** A cell: text that anybody may have written, or what was made here, which is no text for a spreadsheet. */
export type CsvCell = string | { plain: string | number } | null

/**
 * Where a spreadsheet may meet the beginning of a formula (OWASP, CSV injection): full-width signs count too, and a cell
 * may begin behind what another country's spreadsheet takes for the end of one, which minds no quotes then.
 */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?= *[=+\-@|%＝＋－＠])/g

/**
 * A table of comma-separated values (RFC 4180), its first row the names of the columns. Text that a spreadsheet would
 * run as a formula gets an apostrophe before that; a `plain` number stays what it is.
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

/** Whether a client asks for a table rather than for JSON (RFC 9110, 12.5.1). */
export function prefersCsv(accept: string | undefined): boolean {
  const weights = new Map(
    (accept ?? '').split(',').map((part) => {
      const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      return [type, q === undefined ? 1 : Number(q.slice(2))]
    }),
  )
  const csv = weights.get('text/csv') ?? 0
  return csv > 0 && csv >= (weights.get('application/json') ?? 0)
}
