import { feeFor, transactionVsize } from '../../../../protocol/transaction-size.ts'
import { findCoins } from '../../transactions/find-coins.ts'
import type { Coin } from '../../transactions/sql/tx-chains.ts'

/** What a withdrawal is planned with; money in base units, scripts in hex, the fee rate per 1,000 vbytes. */
export interface WithdrawalTerms {
  amount: bigint
  /** Of the address. */
  script: string
  changeScript: string
  /** What it has to spend, from its first transaction on. */
  coin: Coin | undefined
  /** Confirmed coins of the wallet that nothing else has. */
  coins: readonly Coin[]
  feeRate: bigint
  dust: bigint
  /** Coins that it spends at most, that which it is tied to included. */
  maxInputs: number
}

/** What pays a withdrawal: coins, and what goes back. */
export interface PlannedWithdrawal {
  spends: [Coin, ...Coin[]]
  change: bigint
  fee: bigint
  vsize: number
}

/**
 * The coins that pay a withdrawal and its fee: the one it is tied to, then the smallest that is enough by itself, or else
 * the largest together. What goes back is never below dust and leaves room to pay as much once more for a bump, where
 * there are coins for that. Nothing where they do not suffice. Pure.
 */
export function planWithdrawal(terms: WithdrawalTerms): PlannedWithdrawal | undefined {
  return planWith(terms, 2n) ?? planWith(terms, 1n)
}

function planWith(terms: WithdrawalTerms, feeTimes: bigint): PlannedWithdrawal | undefined {
  return findCoins(terms, (spends) => {
    const plan = measure(terms, spends)
    return plan && plan.change + plan.fee - feeTimes * plan.fee >= terms.dust ? plan : undefined
  })
}

function measure(terms: WithdrawalTerms, spends: readonly Coin[]): PlannedWithdrawal | undefined {
  const [first, ...others] = spends
  if (!first) return undefined
  const { amount, script, changeScript, feeRate } = terms
  const vsize = transactionVsize(
    spends.map((coin) => coin.script),
    [script.length / 2, changeScript.length / 2],
  )
  const fee = feeFor(vsize, feeRate)
  const change = spends.reduce((sum, { value }) => sum + value, 0n) - amount - fee
  return { spends: [first, ...others], change, fee, vsize }
}
