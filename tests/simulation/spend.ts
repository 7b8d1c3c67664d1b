import { formatAmount } from '../../protocol/amount.ts'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import { COIN } from '../../protocol/chains.ts'
import { decodeTransaction, encodeTransaction } from '../../protocol/transaction.ts'
import type { Payment } from './records.ts'
import type { World } from './world.ts'

export function faucetCoin(world: World): Payment['coin'] | undefined {
  const coins = world.call('listunspent', [1], 'faucet')
  if (!Array.isArray(coins)) return undefined
  const coin = world.random.pick(coins.filter(({ amount }) => amount > 100))
  return coin && { txid: coin.txid, vout: coin.vout, amount: String(coin.amount) }
}

/** Spends a coin of the faucet's at `feeFactor` times the usual fee; the first of the outputs may be split into several. */
export function spend(
  world: World,
  coin: Payment['coin'],
  outputs: Record<string, string>,
  feeFactor: bigint,
  pieces = 1,
): string | undefined {
  const paid = Object.values(outputs).reduce((sum, coins) => sum + toUnits(coins), 0n)
  const fee = (world.usual.walletFeeRate / 2n + 1000n) * feeFactor
  const back = String(world.call('getnewaddress', [], 'faucet'))
  const change = formatAmount(toUnits(coin.amount) - paid - fee)
  const inputs = [{ txid: coin.txid, vout: coin.vout, sequence: 0xffff_fffd }]
  const raw = String(world.call('createrawtransaction', [inputs, { ...outputs, [back]: change }]))
  return send(world, splitOutput(raw, pieces), 'faucet')
}

/** Has a wallet sign a transaction and the node take it. */
export function send(world: World, raw: unknown, wallet: string): string | undefined {
  const sign = world.node.settings.dialect === 'core' ? 'signrawtransactionwithwallet' : 'signrawtransaction'
  try {
    const signed = world.call(sign, [raw], wallet)
    const hex = signed && typeof signed === 'object' && 'hex' in signed ? signed.hex : undefined
    return String(world.call('sendrawtransaction', [hex]))
  } catch {
    return undefined
  }
}

/** An address that is none of the service's. */
export function elsewhere(world: World): string {
  return String(world.call('getnewaddress', [], 'faucet'))
}

/** An unsigned transaction, in hex, whose first output is split into so many of the same script. */
function splitOutput(raw: string, pieces: number): string {
  const transaction = decodeTransaction(fromHex(raw) ?? new Uint8Array(0))
  const [first, ...others] = transaction.outputs
  const part = first && first.value / BigInt(pieces)
  if (!first || !part || pieces === 1) return raw
  const parts = Array.from({ length: pieces }, (_, at) => ({
    script: first.script,
    value: at === 0 ? first.value - part * BigInt(pieces - 1) : part,
  }))
  return toHex(encodeTransaction({ ...transaction, outputs: [...parts, ...others] }))
}

function toUnits(coins: string): bigint {
  const [whole = '0', fraction = ''] = coins.split('.')
  return BigInt(whole) * COIN + BigInt(fraction.padEnd(8, '0'))
}
