import { CHAINS } from '../../../protocol/chains.ts'
import type { AgentContext } from '../../chain/follower/agent-context.ts'
import { type BlockPosition, selectBlocks } from '../../chain/follower/blocks.ts'
import { findAddressScript } from '../../chain/rpc/address-methods.ts'
import { listCoins, listWatchedCoins } from '../../chain/rpc/fund-methods.ts'
import { fundPsbt } from '../../chain/rpc/psbt-methods.ts'
import { type WalletRpc, watchRpc } from '../../chain/rpc/wallet-rpc.ts'
import type { Coin } from '../wallet/sql/tx-chains.ts'
import { checkPsbt, keepsItsTxid, type PreparedPayout } from './check-psbt.ts'
import { planRawPayout } from './raw-payout.ts'

/** Blocks under the tip from which on the history is read for what spends a coin: no usual reorganisation is deeper. */
const SINCE_DEPTH = 36
/** Characters of a PSBT; one of four inputs has a few thousand, and more where it carries what it spends whole. */
const MOST_CHARACTERS = 1_000_000

/** What a payout is to pay from just these coins; base units, the rate for 1,000 vbytes. */
interface PayoutOrder {
  spends: readonly Coin[]
  address: string
  /** Of the address, in hex. */
  script: string
  amount: bigint
  feeRate: bigint
}

/** Coins whose private keys are offline, and what makes the transactions that spend them. */
export interface ColdWallet {
  /** Those with at least so many confirmations that a transaction can be made of. */
  listCoins(depth: number): Promise<readonly Coin[]>
  /** A transaction to be signed; `undefined` where the coins do not suffice. */
  prepare(order: PayoutOrder): Promise<PreparedPayout | undefined>
}

/** The coins that withdrawals of this chain are paid from offline; `undefined` where there are none. */
export function coldWallet(context: AgentContext, tip: BlockPosition): ColdWallet | undefined {
  const chain = context.config.chains[context.blockchain]
  const watch = watchRpc(chain)
  if (watch) return watchedWallet(watch)
  return chain.coldAddress === undefined ? undefined : watchedAddress(context, tip, chain.coldAddress)
}

/** A wallet without private keys, which makes PSBTs. */
function watchedWallet(watch: WalletRpc): ColdWallet {
  return {
    async listCoins(depth) {
      return (await listCoins(watch, depth, { watched: true })).filter(({ script }) => keepsItsTxid(script))
    },
    async prepare({ spends, address, script, amount, feeRate }) {
      const funded = await fundPsbt(watch, { inputs: spends, address, amount, feeRate })
      if (!funded) return undefined
      const { psbt } = funded
      if (psbt.length > MOST_CHARACTERS) throw new Error('Its PSBT is too long.')
      const checked = checkPsbt(psbt, { spends, script, amount })
      return { psbt, vsize: Number((checked.fee * 1000n) / feeRate) || 1, ...checked }
    },
  }
}

/** An address that the only wallet of a node of the 1.14 family watches: the transactions are made here. */
function watchedAddress({ db, rpc, blockchain }: AgentContext, tip: BlockPosition, cold: string): ColdWallet {
  return {
    async listCoins(depth) {
      const change = await findAddressScript(rpc, cold)
      return (await listWatchedCoins(rpc, cold, depth)).filter(({ script }) => script === change)
    },
    async prepare({ spends, script, amount, feeRate }) {
      const change = await findAddressScript(rpc, cold)
      if (change === undefined) throw new Error('The cold address is no address of this chain.')
      const { hash: since } = (await selectBlocks(db, blockchain, SINCE_DEPTH)).at(-1) ?? tip
      return planRawPayout({ spends, script, amount, change, feeRate, dust: CHAINS[blockchain].dust, since })
    },
  }
}
