import { formatAmount } from '../../../protocol/amount.ts'
import { asAmount, asList, asObject, asText, callNode, RpcError, type WalletRpc } from './wallet-rpc.ts'

/** RPC_WALLET_ERROR: also returned if the given coins are not enough. */
const WALLET_ERROR = -4
/** What a node answers to a PSBT that it can't read, or that is another transaction's. */
const PSBT_ERRORS = new Set([-8, -22])

/** What a PSBT is made of; money in base units, the fee rate for 1,000 vbytes. */
export interface PsbtOrder {
  inputs: readonly { txid: string; vout: number }[]
  address: string
  amount: bigint
  feeRate: bigint
}

/**
 * A PSBT in base64, and its fee, that pays an address from only these coins of the wallet, with change to the wallet;
 * `undefined` if they are not enough. @throws {NodeError} {@link RpcError}
 */
export async function fundPsbt(
  watch: WalletRpc,
  { inputs, address, amount, feeRate }: PsbtOrder,
): Promise<{ psbt: string; fee: bigint } | undefined> {
  const coins = inputs.map(({ txid, vout }) => ({ txid, vout }))
  const options = { add_inputs: false, changePosition: 1, feeRate: formatAmount(feeRate), replaceable: true }
  try {
    const params = [coins, [{ [address]: formatAmount(amount) }], 0, options, true]
    const funded = asObject(await callNode(watch, 'walletcreatefundedpsbt', params), 'walletcreatefundedpsbt')
    return { psbt: asText(funded.psbt, 'psbt'), fee: asAmount(funded.fee, 'fee') }
  } catch (error) {
    if (error instanceof RpcError && error.code === WALLET_ERROR && /insufficient|enough/i.test(error.message)) {
      return undefined
    }
    throw error
  }
}

/**
 * The hex of the transaction of a signed PSBT, combined with the PSBT that was sent to the signer, because signers may leave out
 * fields. `unsigned` if signatures are missing, `foreign` if it is no PSBT or that of another transaction.
 * @throws {NodeError} {@link RpcError}
 */
export async function finishPsbt(
  rpc: WalletRpc,
  given: string,
  back: string,
): Promise<{ hex: string } | { problem: 'unsigned' | 'foreign' }> {
  try {
    const joined = asText(await callNode(rpc, 'combinepsbt', [[given, back]]), 'combinepsbt')
    const { complete, hex } = asObject(await callNode(rpc, 'finalizepsbt', [joined]), 'finalizepsbt')
    return complete === true ? { hex: asText(hex, 'hex') } : { problem: 'unsigned' }
  } catch (error) {
    if (error instanceof RpcError && PSBT_ERRORS.has(error.code)) return { problem: 'foreign' }
    throw error
  }
}

/** The node already has the transaction, so it is accepted. */
const KNOWN = /^txn-(already|same)/

/** The node's reject reason for a transaction; `undefined` if its mempool would accept it. @throws {NodeError} {@link RpcError} */
export async function findRejectReason(rpc: WalletRpc, hex: string): Promise<string | undefined> {
  const [verdict] = asList(await callNode(rpc, 'testmempoolaccept', [[hex], 0]), 'testmempoolaccept')
  const { allowed, 'reject-reason': reason } = asObject(verdict, 'testmempoolaccept')
  if (allowed === true || (typeof reason === 'string' && KNOWN.test(reason))) return undefined
  return typeof reason === 'string' ? reason : 'it does not say why'
}
