import { toHex } from '../../protocol/bytes.ts'
import { reverseHex } from '../../protocol/transaction.ts'
import type { AuxPow } from '../aux-pow.ts'
import type { NodeSettings } from '../node-settings.ts'
import { describeTransaction } from './describe-transaction.ts'
import type { Json } from './exact-json.ts'

/** The field `auxpow` of a merge-mined block in getblock (Dogecoin Core's AuxpowToJSON). */
export function describeAuxPow({ coinbase, branch, chainBranch, slot, parent }: AuxPow, settings: NodeSettings): Json {
  return {
    tx: { hex: toHex(coinbase.raw), ...describeTransaction(coinbase, settings) },
    index: 0,
    chainindex: slot,
    merklebranch: branch.map(reverseHex),
    chainmerklebranch: chainBranch.map(reverseHex),
    parentblock: toHex(parent),
  }
}
