import { isRecord } from '../../platform/http/is-record.ts'
import type { ListFold } from './fold-list.ts'
import type { RpcCall, RpcOutcome } from './rpc-transport.ts'

/** Asks one wallet, as `WalletRpc` of the file that imports this does. */
export type AskWallet = (
  calls: readonly RpcCall[],
  options?: { maxBytes?: number; fold?: ListFold },
) => Promise<RpcOutcome[]>

/** Asked of the watch wallet alone: customers' addresses are its own. */
const OF_WATCH = new Set(['getnewaddress'])
/** Asked of both; for each call what is made of the two answers. */
const OF_BOTH: Record<string, (hot: RpcOutcome, watch: RpcOutcome) => RpcOutcome> = {
  getwalletinfo: joinInfo,
  listsinceblock: joinHistory,
  getaddressinfo: joinOwner,
  gettransaction: joinKnown,
  getreceivedbyaddress: joinKnown,
}

/**
 * A wallet with keys and one without, of one node, as one wallet: new addresses are the watch wallet's; histories, transactions and
 * what addresses received are answered from both; coins, balance, change, locks and signatures are the other's alone. An error of
 * `getwalletinfo` also says that the watch wallet is none, or has keys. A transaction between both is in both histories, and makes
 * the service search them whole once, for it is counted twice.
 */
export function joinWallets(hot: AskWallet, watch: AskWallet): AskWallet {
  return async (calls, options) => {
    const asked = (names: (method: string) => boolean) => {
      const places = [...calls.keys()].filter((place) => names(calls[place]?.method ?? ''))
      return { places, calls: places.flatMap((place) => calls[place] ?? []) }
    }
    const ofHot = asked((method) => !OF_WATCH.has(method))
    const ofWatch = asked((method) => OF_WATCH.has(method) || method in OF_BOTH)
    // One after the other: `take` of a long list must not be called for both wallets at once.
    const answers = placeAnswers(ofHot.places, ofHot.calls, await hot(ofHot.calls, options))
    const more = placeAnswers(ofWatch.places, ofWatch.calls, await watch(ofWatch.calls, options))
    return calls.map(({ method }, place) => {
      const [own, watched] = [answers.get(place), more.get(place)]
      if (own && watched) return OF_BOTH[method]?.(own, watched) ?? own
      return own ?? watched ?? { error: { code: -1, message: `no answer to ${method}` } }
    })
  }
}

function placeAnswers(places: readonly number[], calls: readonly RpcCall[], outcomes: readonly RpcOutcome[]) {
  return new Map(
    calls.flatMap((_, index) => {
      const [place, outcome] = [places[index], outcomes[index]]
      return place === undefined || !outcome ? [] : [[place, outcome] as const]
    }),
  )
}

/** The state of the wallet with keys, with transactions, searches and key pool of both. */
function joinInfo(hot: RpcOutcome, watch: RpcOutcome): RpcOutcome {
  if ('error' in hot) return hot
  if ('error' in watch) return { error: { ...watch.error, message: `the watch wallet: ${watch.error.message}` } }
  if (!isRecord(hot.result) || !isRecord(watch.result)) return hot
  const { private_keys_enabled: hasKeys, txcount, scanning, keypoolsize, descriptors } = watch.result
  if (hasKeys !== false) return { error: { code: WALLET_ERROR, message: 'the watch wallet has private keys' } }
  const isScanning = typeof scanning === 'object' && scanning !== null
  // Numbers are their literal text here.
  const count = String(Number(hot.result.txcount) + Number(txcount))
  return { result: { ...hot.result, txcount: count, ...(isScanning ? { scanning } : {}), keypoolsize, descriptors } }
}

const WALLET_ERROR = -4

/** The objects of both lists were passed on as they arrived, so the lists are empty here. */
function joinHistory(hot: RpcOutcome, watch: RpcOutcome): RpcOutcome {
  return 'error' in watch ? watch : hot
}

/** Of wallets without descriptors what they only watch is not their own. */
function joinOwner(hot: RpcOutcome, watch: RpcOutcome): RpcOutcome {
  if ('error' in hot || 'error' in watch || !isRecord(hot.result) || !isRecord(watch.result)) return hot
  const { ismine, iswatchonly } = watch.result
  return ismine === true || iswatchonly === true ? { result: { ...watch.result, ismine: true } } : hot
}

/** What the wallet with keys knows, else what the other does. */
function joinKnown(hot: RpcOutcome, watch: RpcOutcome): RpcOutcome {
  return 'error' in hot && 'result' in watch ? watch : hot
}
