import { BLOCKCHAINS, type Blockchain, CHAINS } from '../../protocol/chains.ts'

/** The chain that `address` can only be of; undefined where the text does not tell. */
export function chainOfAddress(address: string): Blockchain | undefined {
  return BLOCKCHAINS.find((blockchain) => CHAINS[blockchain].address.test(address))
}
