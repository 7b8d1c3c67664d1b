import { BLOCKCHAINS, type Blockchain, CHAINS } from '../../protocol/chains.ts'

/** The only chain that `address` can belong to; undefined if that is not clear. */
export function chainOfAddress(address: string): Blockchain | undefined {
  return BLOCKCHAINS.find((blockchain) => CHAINS[blockchain].address.test(address))
}
