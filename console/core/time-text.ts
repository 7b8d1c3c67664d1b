import { language, region } from '../texts/language.ts'
import { unitText } from '../texts/tools.ts'

/** Whole seconds as a countdown: minutes:seconds below an hour, then hours:minutes:seconds. */
export function countdownText(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds))
  const pad = (value: number) => value.toString().padStart(2, '0')
  const minutes = Math.floor(left / 60)
  if (minutes < 60) return `${minutes}:${pad(left % 60)}`
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(left % 60)}`
}

/** A duration in one unit: "12 seconds", "4 minutes", "1 hour", "2 days". */
export function durationText(seconds: number): string {
  if (seconds < 99) return unitText(language, Math.max(0, Math.round(seconds)), 'second', '\u00a0')
  if (seconds < 5400) return unitText(language, Math.round(seconds / 60), 'minute', '\u00a0')
  if (seconds < 129_600) return unitText(language, Math.round(seconds / 3600), 'hour', '\u00a0')
  return unitText(language, Math.round(seconds / 86_400), 'day', '\u00a0')
}

const DAY = new Intl.DateTimeFormat(region, { day: 'numeric', month: 'short', year: 'numeric' })
const CLOCK = new Intl.DateTimeFormat(region, { hour: '2-digit', minute: '2-digit' })
const CLOCK_SECONDS = new Intl.DateTimeFormat(region, { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** "22 Nov 2026", in the reader's time zone. */
export function dayText(unixSeconds: number): string {
  return DAY.format(unixSeconds * 1000)
}

/** "14:02". */
export function clockText(unixSeconds: number): string {
  return CLOCK.format(unixSeconds * 1000)
}

/** "14:02:11". */
export function clockSecondsText(unixSeconds: number): string {
  return CLOCK_SECONDS.format(unixSeconds * 1000)
}

/** "22 Nov 2026, 14:02". */
export function momentText(unixSeconds: number): string {
  return `${dayText(unixSeconds)}, ${clockText(unixSeconds)}`
}
