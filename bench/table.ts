import { type Row, reachesTarget } from './row.ts'

/** The rows as a table for a terminal, a group after another. */
export function formatTable(rows: readonly Row[]): string {
  const lines = rows.map(cells)
  const head = ['', 'median', 'limit', '', 'ratio', 'target', 'spread', 'n']
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)))
  const format = (line: readonly string[]) =>
    line
      .map((cell, column) =>
        column === 0 || column === 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  const output = [`   ${format(head)}`]
  let group = ''
  for (const [index, row] of rows.entries()) {
    if (row.group !== group) output.push('', row.group)
    group = row.group
    const reached = reachesTarget(row)
    const mark = reached === undefined ? ' ' : reached ? '✓' : '✗'
    output.push(` ${mark} ${format(lines[index] ?? [])}`)
    if (row.note) output.push(`     ${row.note}`)
  }
  return output.join('\n')
}

function cells(row: Row): string[] {
  const { what, value, limit, limitWhat = '', unit, ratio, better, target, spread, rounds } = row
  const bound = better === 'higher' ? '≥' : '≤'
  return [
    what,
    `${formatNumber(value)} ${unit}`,
    limit === undefined ? '' : formatNumber(limit),
    limitWhat,
    ratio === undefined ? '' : ratio.toFixed(2),
    target === undefined ? '' : `${bound} ${target}`,
    spread === undefined || rounds < 2 ? '' : `±${Math.round(50 * spread)} %`,
    String(rounds),
  ]
}

/** Three significant digits, with thousands separated. */
export function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
