import { expect } from 'vitest'
import type { Rpc } from '../kit/call-devnet.ts'
import type { Customer } from './customer.ts'

/** Expects all that was acknowledged to be there, and nothing to be paid twice; `deposit` of the account, in coins. */
export async function expectAllKept(customer: Customer, wallet: Rpc, deposit: number): Promise<void> {
  await customer.findsAll()
  const { sent, cost } = await customer.payouts()
  for (const [address, amount] of sent) expect(Number(wallet('getreceivedbyaddress', address)), address).toBe(amount)
  expect(await customer.balance()).toBeCloseTo(deposit - cost - (await customer.paidFromBalance()), 8)
}
