import type { Node } from '../node.ts'
import type { Wallet } from '../wallet.ts'
import type { Json } from './exact-json.ts'
import type { Params } from './params.ts'

/** The node, and the wallet that the URL names. */
export interface CallContext {
  node: Node
  /** As the URL has it; `undefined` where it names none. */
  walletName: string | undefined
  wallet: () => Wallet
  /**
   * The same wallet, or the given one, if it is unlocked.
   * @throws {RpcError} -13
   */
  signer: (wallet?: Wallet) => Wallet
}

/** One RPC method: its arguments' names in order, how many it needs, and what it does. */
export interface Method {
  args: readonly string[]
  needs: number
  run(context: CallContext, params: Params): Json
}

/** A table of methods by name. */
export type Methods = Record<string, Method>

/** Declares a method: names that end in `?` may be left out. */
export function method(signature: string, run: Method['run']): Method {
  const names = signature.split(' ').filter((name) => name !== '')
  return {
    args: names.map((name) => name.replace('?', '')),
    needs: names.filter((name) => !name.endsWith('?')).length,
    run,
  }
}
