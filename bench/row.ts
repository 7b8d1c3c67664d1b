import { median, spread } from './statistics.ts'

/** One line of the table. */
export interface Row {
  /** Names the row in results.json, for as long as it measures the same. */
  id: string
  group: string
  what: string
  /** Median of the rounds, and the limit's beside it. */
  value: number
  limit?: number
  unit: string
  limitWhat?: string
  /** Median over rounds of value ÷ limit, each round's pair measured next to each other. */
  ratio?: number
  better?: 'higher' | 'lower'
  /** What the ratio must reach, or the value where there is no ratio. */
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

/** A row out of rounds of pairs. */
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
