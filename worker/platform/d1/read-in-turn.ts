import { unixSeconds } from '../clock.ts'

/**
 * Two hex digits that increase by one each second and wrap around. A step starts there in an order by txid or id, so
 * that all records are reached in turn if there are more than it may read. `now` in milliseconds. Pure.
 */
export function rotatingPrefix(now: number): string {
  return (unixSeconds(now) % 256).toString(16).padStart(2, '0')
}

/**
 * The first `limit` records of a list and, if there are as many or more, others from an id on that changes each second:
 * no record waits for ever behind others that make no progress. `read` returns at most `limit` records, from the id
 * `from` on if it is set.
 */
export async function readInTurn<T extends { id: string }>(
  { limit, now }: { limit: number; now: number },
  read: (from?: string) => Promise<T[]>,
): Promise<T[]> {
  const first = await read()
  if (first.length < limit) return first
  const others = await read(rotatingPrefix(now))
  return [...new Map([...first, ...others].map((one) => [one.id, one])).values()]
}
