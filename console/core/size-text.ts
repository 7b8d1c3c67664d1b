const UNITS = ['KB', 'MB', 'GB', 'TB'] as const

/** Digits in groups: "18,340,113". */
export function groupDigits(count: number): string {
  return Math.trunc(count).toLocaleString('en')
}

/** A size at a glance, by thousands: "62.8 KB". Below 1,000 it is exact. */
export function sizeText(bytes: number): string {
  return byThousands(bytes, (value) => value.toFixed(1))
}

/** A part and its whole in the whole's unit: "12.0", "40.0 MB". */
export function shareText(part: number, whole: number): [part: string, whole: string] {
  const text = sizeText(whole)
  const [, unit = ''] = text.split('\u00a0')
  const power = UNITS.map(String).indexOf(unit) + 1
  return [power === 0 ? String(part) : (part / 1000 ** power).toFixed(1), text]
}

/** Bytes that are known to about 1 %, in three digits at most: "53 KB", "1.24 MB". */
export function aboutSizeText(bytes: number): string {
  return byThousands(bytes, (value) => String(Number(value.toPrecision(3))))
}

function byThousands(bytes: number, digits: (value: number) => string): string {
  const whole = Math.round(bytes)
  if (whole < 1000) return `${whole}\u00a0${whole === 1 ? 'byte' : 'bytes'}`
  let value = whole
  let unit = -1
  while (Number(digits(value)) >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${digits(value)}\u00a0${UNITS[unit] ?? ''}`
}

/** A limit, rounded down: "16.7 MB", "1.2 MB", "80 bytes". */
export function limitText(bytes: number): string {
  return byThousands(bytes, (value) => String(Math.floor(value * 10) / 10))
}
