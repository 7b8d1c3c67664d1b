import type { FoundSign } from './signs.ts'

/** A sign has to last so long before it is told: a node that is restarted is nothing, in milliseconds. */
const RAISED_AFTER = 50_000
/** It has to be absent for so long before it is told to be over. */
const OVER_AFTER = 300_000

/** A sign as its row has it; times in milliseconds. */
export interface Alert extends FoundSign {
  firstAt: number
  /** When it was last found. */
  lastAt: number
  /** When it was told; not yet where it has to last longer. */
  raisedAt: number | undefined
}

/** What is to be done about a sign: `begin` and `forget` tell nobody. */
export interface AlertChange extends FoundSign {
  kind: 'begin' | 'seen' | 'raise' | 'forget' | 'over'
}

/** What follows of the signs that are known and of those that are found at `now`. Pure. */
export function decideAlerts(known: readonly Alert[], found: readonly FoundSign[], now: number): AlertChange[] {
  const keyOf = ({ name, subject }: FoundSign) => `${name} ${subject}`
  const before = new Map(known.map((alert) => [keyOf(alert), alert]))
  const present = new Set(found.map(keyOf))
  const gone = known.filter((alert) => !present.has(keyOf(alert)))
  return [
    ...found.map((sign): AlertChange => {
      const alert = before.get(keyOf(sign))
      if (!alert) return { ...sign, kind: 'begin' }
      const due = alert.raisedAt === undefined && now - alert.firstAt >= RAISED_AFTER
      return { ...sign, kind: due ? 'raise' : 'seen' }
    }),
    ...gone.flatMap(({ name, subject, detail, raisedAt, lastAt }): AlertChange[] => {
      const sign = { name, subject, detail }
      if (raisedAt === undefined) return [{ ...sign, kind: 'forget' }]
      return now - lastAt >= OVER_AFTER ? [{ ...sign, kind: 'over' }] : []
    }),
  ]
}
