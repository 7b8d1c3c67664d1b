/**
 * Unconfirmed transactions in a lane on a node that names no limit of a cluster: one less than such nodes allow, so that there
 * is room for one that pays for all.
 */
export const LANE_LENGTH = 24

/** On a node that names one, which may be any number: what is signed for all lanes at once is kept and sent as a whole. */
const MAX_LANE_LENGTH = 99

/** Virtual bytes that may wait in a lane, its bump left aside: half of a block of Bitcoin Core, so that all of it fits into one. */
export const LANE_VBYTES = 450_000

/** What may wait unconfirmed in a lane. */
export interface LaneLimits {
  count: number
  vbytes: number
}

/** The limits of a lane on a node that names limits of a cluster: below them, with room for one that pays for all. */
export function laneLimits(cluster: Partial<LaneLimits>): LaneLimits {
  return {
    count: cluster.count === undefined ? LANE_LENGTH : Math.max(1, Math.min(MAX_LANE_LENGTH, cluster.count - 1)),
    vbytes: Math.min(LANE_VBYTES, Math.floor((cluster.vbytes ?? Number.POSITIVE_INFINITY) * 0.9)),
  }
}

/** Lanes that may be open for each that is filled at a time. */
const OPEN_PER_LANE = 4

/** How many lanes are worth having for so many transactions, where so many fit into one. */
export function lanesWorth(transactions: number, maxLanes: number, length = LANE_LENGTH): number {
  return Math.max(1, Math.min(maxLanes, Math.ceil(transactions / length)))
}

/** Lanes that may be open at a time, where so many are filled. */
export function mostLanes(maxLanes: number): number {
  return OPEN_PER_LANE * maxLanes
}
