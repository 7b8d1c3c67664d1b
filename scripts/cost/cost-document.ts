import { readFileSync } from 'node:fs'
import { table } from '../markdown-table.ts'
import { FIXED, type Line, type Load, monthOf, totalOf } from './month.ts'
import { METERED, type Metered } from './usage.ts'

/** The page of what a month costs, and the comments around its tables. */
export const COST_PAGE = new URL('../../docs/operate/cost.md', import.meta.url)
const BEGIN = '<!-- Made by `npm run docs:cost`. -->\n'
const END = '<!-- Up to here. -->\n'

const ITEMS = 1_000
const READS = 1e6
const LOADS: readonly (readonly [name: string, load: Load])[] = [
  ['idle', { state: 'idle', items: 0, warm: 0, cold: 0 }],
  ['busy, read from memory', { state: 'waiting', items: ITEMS, warm: READS, cold: 0 }],
  ['busy, read from the bucket', { state: 'waiting', items: ITEMS, warm: 0, cold: READS }],
]

/** A page with the tables of what is metered. @throws {Error} where it has no place for them. */
export function withCosts(page: string): string {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (start < 0 || end < start) throw new Error('The page has no place for what a month costs.')
  return `${page.slice(0, start)}${BEGIN}\n${tables(readMetered())}\n${page.slice(end)}`
}

function readMetered(): Metered {
  const metered: Metered = JSON.parse(readFileSync(METERED, 'utf8'))
  return metered
}

function tables(metered: Metered): string {
  const months = LOADS.map(([, load]) => monthOf(metered, load))
  const names = LOADS.map(([name]) => name)
  const [first = []] = months
  const row = (make: (line: Line) => string) => (index: number) =>
    months.map((lines) => {
      const line = lines[index]
      return line ? make(line) : ''
    })
  const [amounts, costs] = [row(({ amount }) => amountText(amount)), row(({ cost }) => money(cost))]
  const used = first.map(({ name, included }, index) => [name, amountText(included), ...amounts(index)])
  const paid = first.map(({ name, price }, index) => [name, `$${price}`, ...costs(index)])
  const fixed = FIXED.map(([name, price]) => [name, '', ...months.map(() => money(price))])
  const sum = ['**together**', '', ...months.map((lines) => `**${money(totalOf(lines))}**`)]
  return `What a month of 30 days uses:

${table(['what is billed', 'included', ...names], used)}
What it costs:

${table(['what is billed', 'a million', ...names], [...fixed, ...paid, sum])}`
}

function amountText(amount: number): string {
  const [unit, word] = amount >= 1e9 ? [1e9, ' billion'] : amount >= 1e6 ? [1e6, ' million'] : [1, '']
  return `${(amount / unit).toLocaleString('en-US', { maximumSignificantDigits: 3 })}${word}`
}

function money(dollars: number): string {
  return `$${dollars.toFixed(2)}`
}
