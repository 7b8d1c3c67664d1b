import { LIFETIMES } from '../../../contract/lifetimes.ts'
/** Which refresh token of a session is its newest, and when recent ones were first used. */
export interface Rotation {
  /** How often the refresh token was replaced; the first one is of generation 0. */
  generation: number
  firstUses: readonly FirstUse[]
}

interface FirstUse {
  generation: number
  /** Milliseconds. */
  at: number
}

/** What becomes of a refresh token that is used. */
export type RotationVerdict =
  | {
      kind: 'good'
      /** The state after this use. */
      next: Rotation
      /** The generation of the token that is to be answered, where the caller wants a new one. */
      issue: number | undefined
    }
  /** It was replaced, and the time for late requests is over: somebody has a copy. */
  | { kind: 'reused' }
  /** It is of a generation that was never issued. */
  | { kind: 'unknown' }

/** How long a refresh token is good after the first use of the one in its place; milliseconds. */
export const ROTATION_GRACE = LIFETIMES.replaced * 1000

/** First uses that are remembered of one session: more than one client makes in {@link ROTATION_GRACE}. */
const MOST_FIRST_USES = 50

/**
 * Decides about the use of the token of `generation`. One that was replaced is good until {@link ROTATION_GRACE} after
 * the first use of the next one, so that a client that never got the answer can ask again; it gets the newest token.
 * `now` in milliseconds.
 */
export function decideRotation(
  rotation: Rotation,
  used: { generation: number; rotate: boolean },
  now: number,
): RotationVerdict {
  const { generation: newest, firstUses } = rotation
  if (used.generation > newest) return { kind: 'unknown' }
  if (used.generation < newest) {
    const next = firstUses.find(({ generation }) => generation === used.generation + 1)
    const isGood = next ? now < next.at + ROTATION_GRACE : used.generation + 1 === newest
    return isGood ? { kind: 'good', next: rotation, issue: used.rotate ? newest : undefined } : { kind: 'reused' }
  }
  const generation = used.rotate ? newest + 1 : newest
  // The first token has none before it whose time its use could end.
  const isFirstUse = newest > 0 && !firstUses.some((use) => use.generation === newest)
  const uses = isFirstUse ? [...firstUses, { generation: newest, at: now }] : firstUses
  const remembered = uses.filter((use) => use.generation === generation || now < use.at + ROTATION_GRACE)
  const next = { generation, firstUses: remembered.slice(-MOST_FIRST_USES) }
  return { kind: 'good', next, issue: used.rotate ? generation : undefined }
}
