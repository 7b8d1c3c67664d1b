import { unixSeconds } from '../../platform/clock.ts'

/**
 * Two hex digits that go up by one each second and begin again behind the last: where a step begins in an order by txid or
 * id, so that all have their turn where there are more than it may look at. `now` in milliseconds. Pure.
 */
export function rotatingPrefix(now: number): string {
  return (unixSeconds(now) % 256).toString(16).padStart(2, '0')
}
