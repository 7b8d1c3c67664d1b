import { fromHex, toHex } from '../../../../protocol/bytes.ts'
import { type Blockchain, CHAINS } from '../../../../protocol/chains.ts'
import { writeOpReturn } from '../../../../protocol/op-return.ts'
import {
  decodeTransaction,
  encodeTransaction,
  type Transaction,
  transactionId,
  unsignedId,
} from '../../../../protocol/transaction.ts'
import { keepsTxid } from '../../../../protocol/transaction-size.ts'
import { NodeError } from '../../../chain/rpc/rpc-transport.ts'
import { SigningError, signTransactions } from '../../../chain/rpc/transaction-methods.ts'
import type { WalletRpc } from '../../../chain/rpc/wallet-rpc.ts'
import type { Coin } from '../sql/tx-chains.ts'
import type { PlannedTransaction } from './tx-chain-plan.ts'

/** A planned transaction with what became of it. */
export interface SignedPlan {
  planned: PlannedTransaction
  txid: string
  bytes: Uint8Array
  inputs: readonly Coin[]
  changeVout: number
}

/** Calls of one request to the wallet. */
const PER_BATCH = 200

/** Of an input that is not signed. */
const NO_SCRIPT = new Uint8Array(0)

type Outcome = SignedPlan | { txChain: number; error: SigningError }

interface Built {
  planned: PlannedTransaction
  unsigned: Transaction
  inputs: readonly Coin[]
  changeVout: number
}

/**
 * Has the wallet sign the plan, tx chain by tx chain in order. If a signature does not change the txid (segwit), a
 * whole tx chain is signed in one go, and what the wallet signed is checked while it signs more. Otherwise each
 * transaction waits for the one before it. A tx chain that can't be signed ends there, and is in `failed`; the others
 * go on.
 * @throws {NodeError} also if the node signed something other than what it was sent; {@link RpcError}
 */
export async function signPlan(
  rpc: WalletRpc,
  blockchain: Blockchain,
  plan: readonly PlannedTransaction[],
  dataOf: (planned: PlannedTransaction) => Uint8Array | undefined,
): Promise<{ signed: SignedPlan[]; failed: Map<number, SigningError> }> {
  const signed: SignedPlan[] = []
  const failed = new Map<number, SigningError>()
  const tips = new Map<number, Coin>()
  /** Tx chains whose end has a txid that depends on its signature. */
  const unnamed = new Set<number>()
  let waiting: readonly PlannedTransaction[] = plan
  let asked: Promise<Outcome[]> | undefined
  while (waiting.length > 0 || asked) {
    const round: Built[] = []
    const later: PlannedTransaction[] = []
    const blocked = new Set(unnamed)
    for (const planned of waiting.filter(({ txChain }) => !failed.has(txChain))) {
      const tip = tips.get(planned.txChain)
      const inputs = planned.spends.length > 0 ? planned.spends : tip ? [tip] : []
      if (blocked.has(planned.txChain) || inputs.length === 0 || round.length >= PER_BATCH) {
        blocked.add(planned.txChain)
        later.push(planned)
        continue
      }
      const built = build(blockchain, planned, inputs, dataOf(planned))
      round.push(built)
      if (inputs.every(({ script }) => keepsTxid(script)))
        tips.set(planned.txChain, changeOf(built, unsignedId(built.unsigned)))
      else {
        blocked.add(planned.txChain)
        unnamed.add(planned.txChain)
      }
    }
    if (round.length === 0 && later.length > 0 && !asked)
      throw new Error('a tx chain was planned without anything to spend')
    const before = asked
    asked = round.length > 0 ? signRound(rpc, blockchain, round) : undefined
    // Waited for in its turn; where the one before it fails, nobody does.
    asked?.catch(() => {})
    for (const one of (await before) ?? []) {
      const txChain = 'error' in one ? one.txChain : one.planned.txChain
      unnamed.delete(txChain)
      if ('error' in one) failed.set(txChain, failed.get(txChain) ?? one.error)
      if ('error' in one || failed.has(txChain)) continue
      signed.push(one)
      if (!one.inputs.every(({ script }) => keepsTxid(script))) tips.set(txChain, changeOf(one, one.txid))
    }
    waiting = later
  }
  return { signed, failed }
}

function build(
  blockchain: Blockchain,
  planned: PlannedTransaction,
  inputs: readonly Coin[],
  data: Uint8Array | undefined,
): Built {
  const script = scriptBytes(planned.script)
  const { payload, pays } = planned
  const carried = [
    ...(data ? [{ value: 0n, script: writeOpReturn(data) }] : []),
    ...(pays ? [{ value: pays.value, script: scriptBytes(pays.script) }] : []),
  ]
  const outputs = [
    ...carried,
    { value: planned.change, script },
    ...planned.splits.map(({ value }) => ({ value, script })),
  ]
  // What carries no data may be replaced by a dearer one (BIP 125): what pays for its tx chain; and a payout, so that its coin can be
  // spent back where the node replaces only what signals that.
  const sequence = payload ? 0xffff_ffff : 0xffff_fffd
  const unsigned = {
    version: CHAINS[blockchain].segwit ? 2 : 1,
    inputs: inputs.map(({ txid, vout }) => {
      return { txid, vout, script: NO_SCRIPT, sequence, witness: [] }
    }),
    outputs,
    lockTime: 0,
  }
  return { planned, unsigned, inputs, changeVout: carried.length }
}

function scriptBytes(hex: string): Uint8Array {
  const bytes = fromHex(hex)
  if (!bytes) throw new Error(`not a script: ${hex}`)
  return bytes
}

function changeOf({ planned, changeVout }: Pick<Built, 'planned' | 'changeVout'>, txid: string): Coin {
  return { txid, vout: changeVout, value: planned.change, script: planned.script }
}

async function signRound(rpc: WalletRpc, blockchain: Blockchain, round: readonly Built[]): Promise<Outcome[]> {
  const hexes = await signTransactions(
    rpc,
    blockchain,
    round.map(({ unsigned, inputs }) => ({
      hex: toHex(encodeTransaction(unsigned)),
      // The wallet knows its own coins; a P2SH one it would even refuse without its redeem script.
      spent: inputs.filter(({ script }) => !script.startsWith('a914')),
    })),
  )
  return round.map(({ planned, unsigned, inputs, changeVout }, index) => {
    const hex = hexes[index]
    if (hex instanceof SigningError) return { txChain: planned.txChain, error: hex }
    const bytes = fromHex(hex ?? '')
    if (!bytes) throw new NodeError('invalid_response', 'The wallet gave no hex for a signed transaction.')
    const transaction = decodeTransaction(bytes)
    if (unsignedId(transaction) !== unsignedId(unsigned)) {
      throw new NodeError('invalid_response', 'The wallet signed another transaction than it was given.')
    }
    return {
      planned,
      txid: transactionId(encodeTransaction(transaction, { witness: false })),
      bytes,
      inputs,
      changeVout,
    }
  })
}
