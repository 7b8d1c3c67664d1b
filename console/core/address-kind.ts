import type { Blockchain } from '../../protocol/chains.ts'

/** How addresses of the chains begin; the chain's node alone decides whether one is good. */
const BEGINNINGS: readonly [RegExp, Blockchain][] = [
  [/^(ntc|tntc|ncrt)1[a-z0-9]{20,90}$/i, 'Nativecoin'],
  [/^(bc|tb|bcrt)1[a-z0-9]{20,90}$/i, 'Bitcoin'],
  [/^[DA9][1-9A-HJ-NP-Za-km-z]{25,34}$/, 'Dogecoin'],
]

/** The chain that `address` can only be of; undefined where the text does not tell. */
export function chainOfAddress(address: string): Blockchain | undefined {
  return BEGINNINGS.find(([pattern]) => pattern.test(address))?.[1]
}
