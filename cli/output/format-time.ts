/** Unix seconds as text: 2026-11-22 03:10:00 UTC. */
export function formatTime(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? 'unknown' : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
