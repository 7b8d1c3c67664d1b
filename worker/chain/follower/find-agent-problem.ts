import type { ChainState } from './chain-states.ts'

/** A problem of the agent that lasts so long is more than a hiccup, in milliseconds. */
const PROBLEM_LASTS = 60_000
/** The clock has an agent make a step each minute: one that ended none for so long does not work, in milliseconds. */
const STALE_STEP = 300_000

/**
 * Why the agent of a chain can't work at `now`, for the operator: its steps fail, or none ends, for example while the wallet
 * is searched or the node is behind. `undefined` if it can work, and before its first step. Pure.
 */
export function findAgentProblem(
  { problem, problemSince, steppedAt }: Pick<ChainState, 'problem' | 'problemSince' | 'steppedAt'>,
  now: number,
): string | undefined {
  if (problem !== undefined && now - (problemSince ?? now) >= PROBLEM_LASTS) return problem
  if (steppedAt === undefined || now - steppedAt < STALE_STEP) return undefined
  return `it has ended no step for ${Math.floor((now - steppedAt) / 1000)} s`
}
