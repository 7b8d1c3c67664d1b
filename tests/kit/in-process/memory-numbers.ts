import type { AgentMark, PayoutNumbers } from '../../../worker/chain/follower/payout-numbers.ts'

/** Under which names the Durable Object of a chain stores them. */
const [PAYOUTS, MARK] = ['payouts', 'mark']
let made = 0

/** Number and mark of a chain's agent in this process, in `stored`, as its Durable Object has them. */
export function memoryNumbers(stored: Map<string, unknown> = new Map()): PayoutNumbers {
  return {
    read: async () => Number(stored.get(PAYOUTS) ?? 0),
    write: async (number) => void stored.set(PAYOUTS, number),
    readMark: async () => {
      const found = stored.get(MARK)
      const mark = isMark(found) ? found : { mark: `mark ${++made}`, isNoted: false }
      stored.set(MARK, mark)
      return mark
    },
    noteMark: async (mark) => void stored.set(MARK, { mark, isNoted: true }),
  }
}

function isMark(value: unknown): value is AgentMark {
  return typeof value === 'object' && value !== null && 'mark' in value && 'isNoted' in value
}
