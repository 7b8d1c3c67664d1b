import { median, spread } from './statistics.ts'

/** One line of the table. */
export interface Row {
  /** Identifies the row in results.json; it changes when the row measures something else. */
  id: string
  group: string
  what: string
  /** Median of the rounds, and the limit's beside it. */
  value: number
  limit?: number
  unit: string
  limitWhat?: string
  /** Median over rounds of value ÷ limit; both of a round are measured one after the other. */
  ratio?: number
  better?: 'higher' | 'lower'
  /** The target of the ratio, or of the value if there is no ratio. */
  target?: number
  /** Width of the middle half of the rounds' ratios, or values, relative to their median. */
  spread?: number
  rounds: number
  note?: string
}

/** Whether a row with a target reaches it. */
export function reachesTarget({ target, ratio, value, better }: Row): boolean | undefined {
  if (target === undefined) return undefined
  const actual = ratio ?? value
  return better === 'higher' ? actual >= target : actual <= target
}

/** A row from rounds of pairs. */
export function pairedRow(
  row: Pick<Row, 'id' | 'group' | 'what' | 'unit'> & Partial<Row> & Required<Pick<Row, 'better'>>,
  pairs: readonly { value: number; limit: number }[],
): Row {
  const ratios = pairs.map(({ value, limit }) => value / limit)
  return {
    ...row,
    value: median(pairs.map(({ value }) => value)),
    limit: median(pairs.map(({ limit }) => limit)),
    ratio: median(ratios),
    spread: spread(ratios),
    rounds: pairs.length,
  }
}

/** A row of a value without a limit. */
export function plainRow(
  row: Pick<Row, 'id' | 'group' | 'what' | 'unit'> & Partial<Row>,
  values: readonly number[],
): Row {
  return { ...row, value: median(values), spread: values.length > 1 ? spread(values) : 0, rounds: values.length }
}
