const UNITS = ['KB', 'MB', 'GB', 'TB'] as const

/** Digits in groups: "18,340,113". */
export function groupDigits(count: number): string {
  return Math.trunc(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Bytes to read at a glance, by thousands: "62.8 KB". Below 1,000 they are exact. */
export function sizeText(bytes: number): string {
  return byThousands(bytes, (value) => value.toFixed(1))
}

/** Bytes that are known to about 1 %, in three digits at most: "53 KB", "1.24 MB". */
export function aboutSizeText(bytes: number): string {
  return byThousands(bytes, (value) => String(Number(value.toPrecision(3))))
}

function byThousands(bytes: number, digits: (value: number) => string): string {
  if (bytes < 1000) return `${bytes}\u00a0bytes`
  let value = bytes
  let unit = -1
  while (Number(digits(value)) >= 1000 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${digits(value)}\u00a0${UNITS[unit] ?? ''}`
}

/** A limit, by 1,024 as the service counts it: "16 MiB", "1.1 MiB", "80 bytes". */
export function limitText(bytes: number): string {
  for (const [unit, size] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['KiB', 2 ** 10],
  ] as const) {
    if (bytes >= size) return `${(Math.floor((bytes / size) * 10) / 10).toString()}\u00a0${unit}`
  }
  return `${bytes}\u00a0bytes`
}
