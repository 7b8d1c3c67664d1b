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
  const [count, unit] =
    seconds < 99
      ? [Math.max(0, Math.round(seconds)), 'second']
      : seconds < 5400
        ? [Math.round(seconds / 60), 'minute']
        : seconds < 129_600
          ? [Math.round(seconds / 3600), 'hour']
          : [Math.round(seconds / 86_400), 'day']
  return `${count}\u00a0${unit}${count === 1 ? '' : 's'}`
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const CLOCK_SECONDS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

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
