import type { Chain } from './chain.ts'
import type { Mempool } from './mempool.ts'
import type { NodeSettings } from './node-settings.ts'

/** Bitcoin's reject codes (BIP 61, and above 255 Core's own), which Dogecoin Core still writes before its reasons. */
export const REJECT = {
  invalid: 16,
  duplicate: 18,
  nonstandard: 64,
  fee: 66,
  alreadyKnown: 257,
  conflict: 258,
} as const

/** The reason why a node rejects a transaction: Bitcoin Core's reason, its details, and the old reject code. */
export interface Rejection {
  reason: string
  details?: string
  code: number
  missingInputs?: boolean
  /** It may be accepted with others in a package (Bitcoin Core's TX_RECONSIDERABLE). */
  reconsiderable?: boolean
}

/** The context of a transaction: the chain, the mempool and the rules. `time` in Unix seconds. */
export interface AcceptanceContext {
  chain: Chain
  mempool: Mempool
  settings: NodeSettings
  time: number
}

/** The text of a rejection in each dialect. */
export function rejectionText({ reason, details, code }: Rejection, settings: NodeSettings): string {
  if (settings.dialect === 'dogecoin') return `${code}: ${reason}`
  return details ? `${reason}, ${details}` : reason
}
