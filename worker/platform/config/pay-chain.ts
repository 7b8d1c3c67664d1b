import type { Blockchain, StorageTarget } from '../../../protocol/chains.ts'
import type { Config } from './config.ts'

/** The chain on which items of a target are paid. */
export function payChain(target: StorageTarget, config: Pick<Config, 'ipfs'>): Blockchain {
  return target === 'IPFS' ? config.ipfs.paymentChain : target
}
