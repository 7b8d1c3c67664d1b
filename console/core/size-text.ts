import { language } from '../texts/language.ts'
import { unitText } from '../texts/tools.ts'

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const

const GROUPED = new Intl.NumberFormat(language)
const ONE_DIGIT = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const SHORT = new Intl.NumberFormat(language, { maximumFractionDigits: 2 })

/** Digits in groups: "18,340,113". */
export function groupDigits(count: number): string {
  return GROUPED.format(Math.trunc(count))
}

/** A size at a glance, by thousands: "62.8 KB". Below 1,000 it is exact. */
export function sizeText(bytes: number): string {
  return byThousands(bytes, (value) => Number(value.toFixed(1)), ONE_DIGIT)
}

/** A part and its whole in the whole's unit: "12.0", "40.0 MB". */
export function shareText(part: number, whole: number): [part: string, whole: string] {
  const text = sizeText(whole)
  const [, unit = ''] = text.split('\u00a0')
  const power = UNITS.map(String).indexOf(unit) + 1
  return [power === 0 ? String(part) : ONE_DIGIT.format(part / 1000 ** power), text]
}

/** Bytes that are known to about 1 %, in three digits at most: "53 KB", "1.24 MB". */
export function aboutSizeText(bytes: number): string {
  return byThousands(bytes, (value) => Number(value.toPrecision(3)), SHORT)
}

function byThousands(bytes: number, round: (value: number) => number, format: Intl.NumberFormat): string {
  const whole = Math.round(bytes)
  if (whole < 1000) return unitText(language, whole, 'byte', '\u00a0')
  let value = whole
  let unit = -1
  while (round(value) >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${format.format(round(value))}\u00a0${UNITS[unit] ?? ''}`
}

/** A limit, rounded down: "16.7 MB", "1.2 MB", "80 bytes". */
export function limitText(bytes: number): string {
  return byThousands(bytes, (value) => Math.floor(value * 10) / 10, SHORT)
}
