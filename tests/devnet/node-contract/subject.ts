import type { NodeAddress } from '../../kit/rpc-client.ts'
import type { TestNode } from '../../kit/test-node.ts'

/** What releases of the same code base word differently. */
export interface Wording {
  conflict: RegExp
  alreadyInChain: RegExp
  wrongType: RegExp
  badScript: string
}

/** The node that is held to the contract; `node` and `bench` are there once the tests run. */
export interface Subject {
  node: NodeAddress
  bench: TestNode
  wording: Wording
}

/** A txid and a block hash that no chain has. */
export const UNKNOWN = 'f'.repeat(64)
