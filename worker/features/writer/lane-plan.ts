import type { Coin } from '../wallet/sql/lanes.ts'
import type { LaneCeiling } from './lane-fees.ts'

/** A lane as planning sees it, with what its unconfirmed transactions may pay. */
export interface LaneState extends LaneCeiling {
  id: number
  /** What its next transaction spends. */
  tip: Coin
  /** Script of its change, hex. */
  script: string
  /** Number of its next transaction. */
  seq: number
  unconfirmed: number
  /** Virtual bytes of what is unconfirmed. */
  vbytes: number
  /** Whether a transaction can be added now; a lane from a split waits until the split is mined. */
  ready: boolean
  /** Whether what waits in it pays what is asked now, or can be raised to that; `false` also where the node refuses it. */
  moves: boolean
}

/** A piece of an item, to be carried by one transaction; `length` in bytes. */
export interface Payload {
  itemId: string
  index: number
  length: number
}

/** One transaction to be signed: what it spends, carries, and pays to whom. */
export interface PlannedTransaction {
  lane: number
  seq: number
  /** Empty: the change of the transaction before it in the lane, planned here too. */
  spends: readonly Coin[]
  /** What of an item it carries; nothing when it only pays for its lane. */
  payload: Payload | undefined
  /** Whom it pays for a withdrawal, script in hex. */
  pays?: { withdrawalId: string; script: string; value: bigint }
  /** The coins that new lanes start from. */
  splits: readonly { lane: number; value: bigint }[]
  /** Of its change, in hex. */
  script: string
  change: bigint
  fee: bigint
  vsize: number
}

export interface Plan {
  transactions: PlannedTransaction[]
  /** Lanes that begin with a coin of the wallet. */
  opened: { id: number; coin: Coin; script: string }[]
  /** Lanes without enough money for another transaction. */
  closed: number[]
  /** Transactions of ours in whose place others of the plan come. */
  replaced?: readonly { txid: string }[]
}

/** A plan with the items that have no lane, and what they wait for: a free coin, or that one of the lanes ends. */
export interface LanePlan extends Plan {
  waiting: Map<string, 'coins' | 'lanes'>
}
