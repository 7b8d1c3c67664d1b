import type { Devnet } from '../../devnet/create-devnet.ts'
import { fromHex } from '../../protocol/bytes.ts'
import type { Blockchain } from '../../protocol/chains.ts'
import { at, list, NodeError, text } from './rpc-client.ts'

/** Calls a method of an embedded node without HTTP. @throws {NodeError} */
export type Rpc = (method: string, ...params: unknown[]) => unknown

export function connect(devnet: Devnet, blockchain: Blockchain, wallet?: string): Rpc {
  return (method, ...params) => {
    const { status, body } = devnet.handle(blockchain, JSON.stringify({ id: 1, method, params }), wallet)
    const reply = at(JSON.parse(body))
    const code = reply('error', 'code')
    if (typeof code === 'number') throw new NodeError(code, String(reply('error', 'message')), status)
    return reply('result')
  }
}

/** The refusal a call meets. */
export function refusal(run: () => unknown): NodeError {
  try {
    run()
  } catch (error) {
    if (error instanceof NodeError) return error
    throw error
  }
  throw new Error('the call was not refused')
}

/** An output a test may spend, amount as the node writes it. */
export interface Unspent {
  txid: string
  vout: number
  amount: number
  script: Uint8Array
}

/** What a wallet can spend. */
export function unspent(rpc: Rpc, least = 1): Unspent[] {
  return list(rpc('listunspent', least)).map((entry) => {
    const get = at(entry)
    return {
      txid: text(get('txid')),
      vout: Number(get('vout')),
      amount: Number(get('amount')),
      script: fromHex(text(get('scriptPubKey'))) ?? new Uint8Array(0),
    }
  })
}

/** The nth coin. @throws {RangeError} when there are fewer. */
export function nth(coins: readonly Unspent[], index: number): Unspent {
  const coin = coins[index]
  if (!coin) throw new RangeError(`there is no coin ${index}`)
  return coin
}

/** A signed transaction in hex: inputs, then outputs by address or `data`. */
export function signed(
  rpc: Rpc,
  inputs: readonly { txid: string; vout: number; sequence?: number }[],
  outputs: Record<string, unknown>,
  method = 'signrawtransactionwithwallet',
): string {
  const raw = rpc(
    'createrawtransaction',
    inputs.map(({ txid, vout, sequence }) => ({ txid, vout, sequence })),
    outputs,
  )
  const answer = at(rpc(method, raw))
  if (answer('complete') !== true) throw new Error(`not signed: ${JSON.stringify(answer())}`)
  return text(answer('hex'))
}
