import type { PackedPlace } from '../../platform/bindings.ts'

/** A range of a pack that is read at once: from `start` to before `end`. It contains whole transactions. */
export interface PackRead {
  pack: string
  start: number
  end: number
}

/**
 * Which packs are read for transactions at these places, one R2 operation each: at most `max`, those with most of the
 * transactions. `covered` are the transactions in them.
 */
export function planPackReads(
  places: readonly PackedPlace[],
  max: number,
): { reads: PackRead[]; covered: Set<string> } {
  const byPack = Map.groupBy(places, ({ pack }) => pack)
  const chosen = [...byPack].sort(([, a], [, b]) => b.length - a.length).slice(0, Math.max(0, max))
  return {
    reads: chosen.map(([pack, within]) => ({
      pack,
      start: within.reduce((start, { offset }) => Math.min(start, offset), Number.POSITIVE_INFINITY),
      end: within.reduce((end, { offset, length }) => Math.max(end, offset + length), 0),
    })),
    covered: new Set(chosen.flatMap(([, within]) => within.map(({ txid }) => txid))),
  }
}
