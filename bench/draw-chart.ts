import { type Row, reachesTarget } from './row.ts'
import { formatNumber } from './table.ts'

const WIDTH = 800
const LABEL = 370
const BAR = 250
const ROW = 26
const TOP = 64

/**
 * The rows with a limit, as bars: the ratio to the limit, with the target as a line. Colours follow the reader's theme.
 */
export function drawChart(rows: readonly Row[]): string {
  const shown = rows.filter(({ ratio, better }) => ratio !== undefined && better !== undefined)
  const parts: string[] = []
  let y = TOP
  let group = ''
  for (const row of shown) {
    if (row.group !== group) {
      y += group === '' ? 0 : 12
      parts.push(`<text x="16" y="${y + 14}" class="group">${escapeText(row.group)}</text>`)
      y += ROW
    }
    group = row.group
    parts.push(drawRow(row, y))
    y += ROW
  }
  const height = y + 34
  const end = LABEL + BAR
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">Speed as a share of the limit</title>
<desc id="desc">${escapeText(shown.map((row) => `${row.what}: ${share(row).toFixed(2)}`).join('; '))}</desc>
<style>
svg { font: 13px ui-sans-serif, system-ui, -apple-system, "Segoe UI", sans-serif; color-scheme: light dark }
.paper { fill: #ffffff; stroke: #d8dee4 } text { fill: #1f2328 } .dim { fill: #59636e; font-size: 12px }
.head { font-size: 16px; font-weight: 600 } .group { font-weight: 600 } .num { font-variant-numeric: tabular-nums }
.track { fill: #eef1f4 } .bar { fill: #2f6feb } .missed { fill: #d1702a } .target { stroke: #1f2328; stroke-width: 1.5 }
.limit { stroke: #8c959f; stroke-dasharray: 2 3 }
@media (prefers-color-scheme: dark) {
  .paper { fill: #0d1117; stroke: #30363d } text { fill: #e6edf3 } .dim { fill: #9198a1 }
  .track { fill: #1c232c } .bar { fill: #4c8dff } .missed { fill: #e08a45 } .target { stroke: #e6edf3 }
  .limit { stroke: #6e7681 }
}
</style>
<rect class="paper" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
<text x="16" y="28" class="head">How near to the limit</text>
<text x="16" y="48" class="dim">Speed as a share of the limit beside it; the bar’s end is the limit, the tick is the target.</text>
<line class="limit" x1="${end}" y1="${TOP + 4}" x2="${end}" y2="${y}"/>
${parts.join('\n')}
<text x="16" y="${height - 14}" class="dim">Printed by npm run bench: medians of alternating rounds on one machine.</text>
</svg>
`
}

/** 1 is as fast as the limit, for times and for rates. */
function share({ ratio = Number.NaN, better }: Row): number {
  return better === 'higher' ? ratio : 1 / ratio
}

function drawRow(row: Row, y: number): string {
  const length = (value: number) => Math.max(2, Math.min(1.12, value) * BAR)
  const target = row.target === undefined ? undefined : row.better === 'higher' ? row.target : 1 / row.target
  const tick =
    target === undefined || target > 1.12
      ? ''
      : `<line class="target" x1="${(LABEL + length(target)).toFixed(1)}" y1="${y + 1}" x2="${(LABEL + length(target)).toFixed(1)}" y2="${y + 19}"/>`
  const style = reachesTarget(row) === false ? 'bar missed' : 'bar'
  return [
    `<text x="28" y="${y + 14}">${escapeText(row.what)}</text>`,
    `<rect class="track" x="${LABEL}" y="${y + 3}" width="${BAR}" height="14" rx="3"/>`,
    `<rect class="${style}" x="${LABEL}" y="${y + 3}" width="${length(share(row)).toFixed(1)}" height="14" rx="3"/>`,
    tick,
    `<text x="${LABEL + BAR * 1.12 + 12}" y="${y + 14}" class="num">${share(row).toFixed(2)}</text>`,
    `<text x="${WIDTH - 16}" y="${y + 14}" class="dim num" text-anchor="end">${escapeText(`${formatNumber(row.value)} ${row.unit}`)}</text>`,
  ].join('')
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
