import type { Blockchain, StorageTarget } from '../../../protocol/chains.ts'
import type { Config } from './config.ts'

/** The chain that items of a target are paid on. */
export function payChain(target: StorageTarget, config: Pick<Config, 'ipfs'>): Blockchain {
  return target === 'IPFS' ? config.ipfs.paymentChain : target
}
