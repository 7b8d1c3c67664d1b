import { fromHex, toHex } from '../../../protocol/bytes.ts'
import { readPsbt } from '../../../protocol/psbt.ts'
import { decodeTransaction, outpointOf, unsignedId } from '../../../protocol/transaction.ts'
import type { Coin } from '../wallet/sql/tx-chains.ts'

/** Scripts that are spent without a scriptSig (BIP 141, 341), so that no signature changes the txid. */
const NATIVE_SEGWIT = /^(0014[0-9a-f]{40}|(00|51)20[0-9a-f]{64})$/

/** Whether an output with this script, in hex, can be spent by a PSBT whose txid is known before it is signed. Pure. */
export function keepsItsTxid(script: string): boolean {
  return NATIVE_SEGWIT.test(script)
}

/** What a PSBT that a node made pays beside the withdrawal; base units. */
interface CheckedPsbt {
  /** Without signatures: with segwit it is that of the signed transaction, too. */
  txid: string
  fee: bigint
  changeVout: number
  changeValue: bigint
  changeScript: string
}

/** A transaction that is to be handed out for signatures. */
export interface PreparedPayout extends CheckedPsbt {
  /** A PSBT in base64; or, where the node knows none, JSON of a raw transaction. */
  psbt: string
  vsize: number
}

/**
 * What is in a PSBT, in base64, that was requested to pay `amount` to `script` (hex) from just these coins. Pure.
 * @throws {Error} where it spends or pays anything else. {@link PsbtError}
 */
export function checkPsbt(
  psbt: string,
  { spends, script, amount }: { spends: readonly Coin[]; script: string; amount: bigint },
): CheckedPsbt {
  const { transaction } = readPsbt(Buffer.from(psbt, 'base64'))
  const { inputs, outputs } = transaction
  const asked = new Set(spends.map(outpointOf))
  const isAsked = inputs.length === asked.size && inputs.every((output) => asked.delete(outpointOf(output)))
  const vout = outputs.findIndex((output) => output.value === amount && toHex(output.script) === script)
  if (!isAsked || vout < 0 || outputs.length > 2)
    throw new Error('The node made another transaction than was asked for.')
  const changeVout = outputs.findIndex((_, index) => index !== vout)
  const change = outputs[changeVout]
  const paid = outputs.reduce((sum, { value }) => sum + value, 0n)
  return {
    txid: unsignedId(transaction),
    fee: spends.reduce((sum, { value }) => sum + value, 0n) - paid,
    changeVout: Math.max(0, changeVout),
    changeValue: change?.value ?? 0n,
    changeScript: change ? toHex(change.script) : '',
  }
}

/** Whether a transaction, hex, is that of a PSBT with signatures, and nothing else. Pure. */
export function isSigned(hex: string, psbt: string): boolean {
  const bytes = fromHex(hex)
  return (
    bytes !== undefined &&
    unsignedId(decodeTransaction(bytes)) === unsignedId(readPsbt(Buffer.from(psbt, 'base64')).transaction)
  )
}
