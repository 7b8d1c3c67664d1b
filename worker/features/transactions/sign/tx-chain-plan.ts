import type { GivenUp } from '../sql/transaction-states.ts'
import type { Coin } from '../sql/tx-chains.ts'
import type { TxChainCeiling } from './tx-chain-fees.ts'

/** A tx chain as planning sees it, with what its unconfirmed transactions may pay. */
export interface TxChainState extends TxChainCeiling {
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
  /** Whether a transaction can be added now; a tx chain from a split waits until the split is mined. */
  ready: boolean
  /**
   * Whether its unconfirmed transactions pay the present fee rate, or can be raised to it; `false` also if the node
   * refuses one.
   */
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
  txChain: number
  seq: number
  /** Empty: the change of the transaction before it in the tx chain, planned here too. */
  spends: readonly Coin[]
  /** What of an item it carries; nothing when it only pays for its tx chain. */
  payload: Payload | undefined
  /** Whom it pays for a withdrawal, script in hex. */
  pays?: { withdrawalId: string; script: string; value: bigint }
  /** The coins that new tx chains start from. */
  splits: readonly { txChain: number; value: bigint }[]
  /** Of its change, in hex. */
  script: string
  change: bigint
  fee: bigint
  vsize: number
}

export interface Plan {
  transactions: PlannedTransaction[]
  /** Tx chains that begin with a coin of the wallet. */
  opened: { id: number; coin: Coin; script: string }[]
  /** Tx chains without enough money for another transaction. */
  closed: number[]
  /** Our transactions that transactions of the plan replace. */
  replaced?: readonly GivenUp[]
}

/** A plan with the items that have no tx chain, and what they wait for: a free coin, or that one of the tx chains ends. */
export interface TxChainPlan extends Plan {
  waiting: Map<string, 'coins' | 'tx chains'>
}
