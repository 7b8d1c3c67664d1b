import { type FakePayment, type FakeState, nowSeconds, objectId } from './fake-state.ts'

export const ADDRESS = 'ncrt1q5vw9fx0ka3c8e72hr4mtd6zpl0gsy8u2nje7qd'

const AMOUNT = 6_000_000n

/** A request of 0.06 for one item, with nothing received. */
export function addPayment(state: FakeState): FakePayment {
  const payment: FakePayment = {
    address: ADDRESS,
    blockchain: 'Nativecoin',
    ids: [objectId()],
    state: 'open',
    amount: AMOUNT,
    received: 0n,
    transactions: [],
    createdAt: nowSeconds(),
    expiresAt: nowSeconds() + 3600,
  }
  state.payments.set(ADDRESS, payment)
  return payment
}

/** The transaction that pays all of it, in so many blocks. */
export const paidBy = (depth: number) => ({
  txid: 'ab'.repeat(32),
  amount: AMOUNT,
  depth,
  seenAt: nowSeconds(),
  late: false,
  replaced: false,
})
