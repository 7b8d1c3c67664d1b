import type { Blockchain } from '../../../protocol/chains.ts'
import type { Config } from '../../platform/config/config.ts'
import { type RawSettings, readConfig } from '../../platform/config/read-config.ts'
import { type WalletRpc, walletRpc } from '../rpc/wallet-rpc.ts'

import type { PayoutNumbers } from './payout-numbers.ts'

/** The dependencies of one step of a chain's agent; all its effects use them. */
export interface AgentContext {
  blockchain: Blockchain
  config: Config
  db: D1Database
  bucket: R2Bucket
  rpc: WalletRpc
  /** The clock of the step, milliseconds. */
  now: number
}

/** What a step works with that may send payouts: only the chain's agent does. */
export interface StepContext extends AgentContext {
  /** The number of payouts in the storage of the agent. */
  numbers: PayoutNumbers
}

/** What the agent of a chain works with; `undefined` where no node of that chain is run. */
export function agentContext(
  env: RawSettings & { DB: D1Database; BUCKET: R2Bucket },
  blockchain: Blockchain,
): Omit<AgentContext, 'now'> | undefined {
  const config = readConfig(env)
  const rpc = walletRpc(config.chains[blockchain])
  if (!rpc) return undefined
  return {
    blockchain,
    config,
    db: env.DB,
    bucket: env.BUCKET,
    rpc,
  }
}
