import type { Language } from '../../contract/languages.ts'
import { LIFETIMES } from '../../contract/lifetimes.ts'
import { eachChain } from '../../protocol/chains.ts'

/** The units that texts name in full. */
type Unit = 'second' | 'minute' | 'hour' | 'day' | 'byte'

/**
 * What the texts of a language are written with. They import nothing that runs: a chunk that needs another one, which
 * waits for the texts, would never be loaded.
 */
export interface TextTools {
  eachChain: typeof eachChain
  /** A number in groups of digits. */
  number(value: number): string
  /** A count with its noun: `1 file`, `2,000 files`, `3 copies`. */
  counted(count: number, one: string, many?: string): string
  /** One of two forms, by the language's rule for the count. */
  plural<One, Many>(count: number, one: One, many: Many): One | Many
  /** "30 days", without a case: at least two of the largest unit that divides it. */
  lasting(name: keyof typeof LIFETIMES): string
}

/** The tools of a language; its numbers and plurals are those of `Intl`. */
export function toolsOf(language: Language): TextTools {
  const rules = new Intl.PluralRules(language)
  const format = new Intl.NumberFormat(language)
  const plural = <One, Many>(count: number, one: One, many: Many) => (rules.select(count) === 'one' ? one : many)
  return {
    eachChain,
    plural,
    number: (value) => format.format(value),
    counted(count, one, many = `${one}s`) {
      // Spanish puts "de" between a noun and a million.
      const joint = rules.select(count) === 'many' ? ' de ' : ' '
      return `${format.format(count)}${joint}${plural(count, one, many)}`
    },
    lasting: (name) => unitText(language, ...unitOf(LIFETIMES[name]), ' '),
  }
}

/** "4 minutes", with what joins the number and the unit. */
export function unitText(language: Language, count: number, unit: Unit, joint: string): string {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(count).replace(/\s/g, joint)
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

function unitOf(seconds: number): [count: number, unit: Unit] {
  for (const [unit, length] of UNITS) if (seconds >= 2 * length) return [seconds / length, unit]
  return [seconds, 'second']
}
