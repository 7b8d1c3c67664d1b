import { unixSeconds } from '../clock.ts'

/**
 * So many hex digits that go up by one each second and begin anew behind the last: where a step begins in an order by txid or
 * id, so that all have their turn where there are more than it may look at. `now` in milliseconds. Pure.
 */
export function turnPrefix(now: number, digits: number): string {
  return (unixSeconds(now) % 16 ** digits).toString(16).padStart(digits, '0')
}
