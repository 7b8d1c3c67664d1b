import { now } from '../clock.ts'
import type { LOG_CODES } from './log-codes.ts'

const MINUTE = 60_000

/** Of each code: in which minute it was written last, and how often it was left out since. At most one entry a code. */
const written = new Map<string, { minute: number; leftOut: number }>()

/**
 * Writes a line of the log for something that requests of strangers can cause as often as they like: the first of its code in
 * a minute, with how many of the minutes before were left out. In each isolate by itself.
 */
export function logOnceAMinute(
  level: 'error' | 'warn',
  code: keyof typeof LOG_CODES,
  ...details: readonly unknown[]
): void {
  const minute = Math.floor(now() / MINUTE)
  const last = written.get(code)
  if (last?.minute === minute) {
    last.leftOut += 1
    return
  }
  written.set(code, { minute, leftOut: 0 })
  const leftOut = last?.leftOut ? [`and ${last.leftOut} more before`] : []
  console[level](code, ...details, ...leftOut)
}
