import { unixSeconds } from '../../platform/clock.ts'

/**
 * Two hex digits that go up by one each second and begin again behind the last: where a step begins in an order by txid or
 * id, so that all have their turn where there are more than it may look at. `now` in milliseconds. Pure.
 */
export function rotatingPrefix(now: number): string {
  return (unixSeconds(now) % 256).toString(16).padStart(2, '0')
}

/**
 * The first `limit` records of a list, and, where there are as many or more, those that come behind another id each second: none is left
 * out for ever behind others that can't go on. `read` returns `limit` records at most, from an id on where one is given.
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
