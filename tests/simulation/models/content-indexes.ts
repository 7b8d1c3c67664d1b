import type { Model } from '../world.ts'

/** Items have indexes, on a chain whose transactions hold one, however little the service puts into each of its own. */
export const contentIndexes: Model = {
  begin({ node, usual }) {
    const larger = { maxDataScriptBytes: Math.max(node.settings.maxDataScriptBytes, LARGEST) }
    Object.assign(node.settings, larger)
    Object.assign(usual, larger)
  },
  happen() {},
}

/** Of an index of 120 txids. */
const LARGEST = 5_000
