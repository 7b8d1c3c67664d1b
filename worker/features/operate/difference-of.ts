/** What three books of the money of one chain say, and what left its wallet by transactions that nobody has assigned; base units. */
export interface Books {
  ledger: bigint
  wallet: bigint
  chain: bigint
  unassigned: bigint
}

/**
 * Base units by which the books differ; 0 if all three agree on what was received and all that was sent is assigned. The service and
 * `npm run admin -- reconcile` decide by it. Pure.
 */
export function differenceOf({ ledger, wallet, chain, unassigned }: Books): bigint {
  if (wallet !== ledger) return wallet - ledger
  return chain === ledger ? -unassigned : chain - ledger
}
