/** An output that pays an address of ours, and that no ledger entry stands for; `value` in base units. */
export interface MissingCredit {
  cause: string
  owner: Record<string, unknown>
  value: bigint
}

/** The causes of those that should have been credited: deposits of an account that together are below the least one wait. */
export function withoutSmall(missing: readonly MissingCredit[], minDeposit: bigint): string[] {
  const sums = new Map<unknown, bigint>()
  const deposits = missing.filter(({ owner }) => owner.kind === 'deposit')
  for (const { owner, value } of deposits) sums.set(owner.user_id, (sums.get(owner.user_id) ?? 0n) + value)
  return missing.flatMap(({ cause, owner }) =>
    owner.kind === 'deposit' && (sums.get(owner.user_id) ?? 0n) < minDeposit ? [] : cause,
  )
}
