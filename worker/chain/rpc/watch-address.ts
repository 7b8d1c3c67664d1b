import { isRecord } from '../../platform/http/is-record.ts'
import type { AskWallet } from './join-wallets.ts'
import type { RpcCall, RpcOutcome } from './rpc-transport.ts'

/** What a wallet answers that can't be used. */
const WALLET_ERROR = -4
const P2PKH = /^76a914[0-9a-f]{40}88ac$/

/**
 * The only wallet of a node of the 1.14 family with an address that it watches (`importaddress`): histories and transactions include
 * what the address receives and spends, and `involvesWatchonly` of a receipt says that it is at the address. Coins, balance and signatures remain those of the wallet's own keys. `getwalletinfo` is an
 * error where the wallet does not watch the address, has its private key, or where it is not P2PKH.
 */
export function watchAddress(own: AskWallet, address: string): AskWallet {
  const mark = (item: unknown) => markReceived(item, address)
  return async (calls, options) => {
    const isChecked = calls.some(({ method }) => method === 'getwalletinfo')
    const check = isChecked ? [{ method: 'validateaddress', params: [address] }] : []
    const { fold, ...others } = options ?? {}
    const marked = fold && { ...fold, take: (items: unknown[]) => fold.take(items.map(mark)) }
    const outcomes = await own([...calls.map(includeWatched), ...check], { ...others, ...(marked && { fold: marked }) })
    const problem = isChecked ? findProblem(outcomes[calls.length]) : undefined
    const failed = problem && { error: { code: WALLET_ERROR, message: problem } }
    return calls.flatMap(({ method }, place) => {
      if (method === 'getwalletinfo' && failed) return failed
      const outcome = outcomes[place] ?? []
      return method === 'listsinceblock' ? [outcome].flat().map((one) => markHistory(one, mark)) : outcome
    })
  }
}

/** Of the outputs of a transaction that spends from the address, all are flagged: those that it pays to the wallet's own keys, too. */
function markReceived(item: unknown, address: string): unknown {
  if (!isRecord(item) || item.involvesWatchonly !== true) return item
  return item.category === 'receive' && item.address !== address ? { ...item, involvesWatchonly: false } : item
}

/** The same for what was not passed on as it arrived. */
function markHistory(outcome: RpcOutcome, mark: (item: unknown) => unknown): RpcOutcome {
  if ('error' in outcome || !isRecord(outcome.result) || !Array.isArray(outcome.result.transactions)) return outcome
  return { result: { ...outcome.result, transactions: outcome.result.transactions.map(mark) } }
}

function includeWatched({ method, params }: RpcCall): RpcCall {
  // No block has the empty hash: 1.14 then lists all that there is.
  if (method === 'listsinceblock') return { method, params: [params[0] ?? '', 1, true] }
  return method === 'gettransaction' ? { method, params: [...params.slice(0, 1), true] } : { method, params }
}

function findProblem(outcome: RpcOutcome | undefined): string | undefined {
  if (!outcome || 'error' in outcome) return outcome?.error.message ?? 'no answer to validateaddress'
  const { isvalid, scriptPubKey, ismine, iswatchonly } = isRecord(outcome.result) ? outcome.result : {}
  if (isvalid !== true || typeof scriptPubKey !== 'string' || !P2PKH.test(scriptPubKey))
    return 'the cold address is no P2PKH address of this chain'
  if (ismine === true) return 'the wallet has the private key of the cold address'
  return iswatchonly === true ? undefined : 'the wallet does not watch the cold address'
}
