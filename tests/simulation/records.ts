/** A payment somebody made: the faucet's coin it spends, so that another can take its place; `at` is the node's time or the
 * service's, whichever is later: where the two differ a request may have expired before; then it is no earlier than that. */
export interface Payment {
  txid: string
  address: string
  amount: bigint
  at: number
  coin: { txid: string; vout: number; amount: string }
  /** Whether it is the reward of a block. */
  isReward?: boolean
}

/** An item that a user has uploaded. */
export interface UploadedItem {
  id: string
  userId: string
}

/** A withdrawal as it was first seen in the database; `script` in hex. */
export interface AskedPayout {
  id: string
  userId: string
  script: string
  amount: bigint
}

/** The Durable Object of the chain, as far as the world turns it. */
export interface Agent {
  run(): Promise<void>
  runAnother(): Promise<void>
  wake(): Promise<void>
}
