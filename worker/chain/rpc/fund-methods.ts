import { formatAmount } from '../../../protocol/amount.ts'
import { type Blockchain, CHAINS } from '../../../protocol/chains.ts'
import { outpointOf } from '../../../protocol/transaction.ts'
import type { RpcCall, RpcOutcome } from './rpc-transport.ts'
import { asAmount, asInteger, asList, asObject, asText, callNode, resultOf, type WalletRpc } from './wallet-rpc.ts'

/** An output that the wallet can spend; `script` in hex, `value` in base units. */
export interface WalletCoin {
  txid: string
  vout: number
  value: bigint
  script: string
  address: string
  confirmations: number
}

/** Coins that are requested at a time: some 500 bytes each, no matter what a wallet has gathered. */
const COINS_PER_PAGE = 1_000
const COINS_PER_BAND = 100
/** Base units from which coins are requested apart where a wallet has more than one page: each power of ten. */
const BANDS = Array.from({ length: 13 }, (_, index) => 10n ** BigInt(15 - index))

/**
 * Outputs of the wallet with at least `depth` confirmations: all of them, or, of a wallet with more than a page, some of each order
 * of magnitude, half of them at least `restDepth` deep.
 * @throws {NodeError} {@link RpcError}
 */
export async function listCoins(
  rpc: WalletRpc,
  depth: number,
  { restDepth = depth }: { restDepth?: number } = {},
): Promise<WalletCoin[]> {
  const [page] = await rpc([listUnspent(depth, { maximumCount: COINS_PER_PAGE })])
  // Nodes without these options (the 1.14 family) return all coins in one answer.
  if (page && 'error' in page) return readCoins(await callNode(rpc, 'listunspent', [depth, MAX_CONFIRMATIONS]))
  const first = asList(resultOf('listunspent', page), 'listunspent')
  if (first.length < COINS_PER_PAGE) return readCoins(first)
  const calls = BANDS.flatMap((least, index) => {
    const most = BANDS[index - 1]
    const options = {
      minimumAmount: formatAmount(least),
      ...(most === undefined ? {} : { maximumAmount: formatAmount(most - 1n) }),
      maximumCount: COINS_PER_BAND,
    }
    return [listUnspent(Math.max(depth, restDepth), options), listUnspent(depth, options)]
  })
  const coins = (await rpc(calls)).flatMap((outcome) => readCoins(resultOf('listunspent', outcome)))
  return [...new Map(coins.map((coin) => [outpointOf(coin), coin])).values()]
}

const MAX_CONFIRMATIONS = 9_999_999

function listUnspent(depth: number, options: Record<string, unknown>): RpcCall {
  return { method: 'listunspent', params: [depth, MAX_CONFIRMATIONS, [], true, options] }
}

function readCoins(list: unknown): WalletCoin[] {
  const coins: WalletCoin[] = []
  for (const item of asList(list, 'listunspent')) {
    const coin = asObject(item, 'listunspent')
    if (coin.spendable === false || coin.safe === false) continue
    coins.push({
      txid: asText(coin.txid, 'txid'),
      vout: asInteger(coin.vout, 'vout'),
      value: asAmount(coin.amount, 'amount'),
      script: asText(coin.scriptPubKey, 'scriptPubKey'),
      address: typeof coin.address === 'string' ? coin.address : '',
      confirmations: asInteger(coin.confirmations, 'confirmations'),
    })
  }
  return coins
}

/** An output's place. */
type Outpoint = Pick<WalletCoin, 'txid' | 'vout'>

/** Coins of the wallet that are locked, by this service or by another program. @throws {NodeError} {@link RpcError} */
export async function readLockedCoins(rpc: WalletRpc): Promise<Outpoint[]> {
  return asList(await callNode(rpc, 'listlockunspent'), 'listlockunspent').map((item) => {
    const { txid, vout } = asObject(item, 'listlockunspent')
    return { txid: asText(txid, 'txid'), vout: asInteger(vout, 'vout') }
  })
}

/** Locks coins until the node restarts; one that is locked, spent or not known is passed over. @throws {NodeError} */
export async function lockCoins(rpc: WalletRpc, coins: readonly Outpoint[]): Promise<void> {
  await rpc(coins.map(({ txid, vout }) => ({ method: 'lockunspent', params: [false, [{ txid, vout }]] })))
}

/** Unlocks coins; one that is not locked is passed over. @throws {NodeError} */
export async function unlockCoins(rpc: WalletRpc, coins: readonly Outpoint[]): Promise<void> {
  await rpc(coins.map(({ txid, vout }) => ({ method: 'lockunspent', params: [true, [{ txid, vout }]] })))
}

/**
 * The fee rate, in base units per 1,000 vbytes, with which a transaction is mined within about six blocks. It is never below
 * the minimum of the node's mempool or of its relay policy (nodes of the 1.14 family report that in `getnetworkinfo` only).
 * With `quote`, the rate for two blocks if that is higher: fees may rise before the transaction is sent.
 * @throws {NodeError}
 */
export async function readFeeRate(
  rpc: WalletRpc,
  blockchain: Blockchain,
  options: { quote?: boolean } = {},
): Promise<bigint> {
  return (await readMempoolTerms(rpc, blockchain, options)).feeRate
}

/** How much may hang together unconfirmed: transactions, and their virtual bytes. */
interface ClusterLimits {
  count: number
  vbytes: number
}

/** The conditions on which the node accepts transactions into its mempool. */
export interface MempoolTerms {
  /** As {@link readFeeRate} has it. */
  feeRate: bigint
  /** Whether the node estimates one; without, it is a usual one of the chain, or a floor. */
  estimated: boolean
  /** The limits of one cluster that the node names; nodes before Bitcoin Core 31 have others, and name none. */
  cluster: Partial<ClusterLimits>
}

/** The fee rate of now and the limits of a cluster, in one request to the node. @throws {NodeError} */
export async function readMempoolTerms(
  rpc: WalletRpc,
  blockchain: Blockchain,
  { quote = false } = {},
): Promise<MempoolTerms> {
  const facts = CHAINS[blockchain]
  const [estimate, mempool, network, soon] = await rpc([
    { method: 'estimatesmartfee', params: [6] },
    { method: 'getmempoolinfo', params: [] },
    { method: 'getnetworkinfo', params: [] },
    ...(quote ? [{ method: 'estimatesmartfee', params: [2] }] : []),
  ])
  // An old or young node has no estimate: an error, no field, or -1.
  const estimated = rateIn(estimate, 'feerate')
  const rates = [
    estimated || facts.fallbackFeeRate,
    rateIn(soon, 'feerate'),
    ...floorsOf(mempool, network),
    facts.relayFeeRate,
  ]
  const feeRate = rates.reduce((highest, rate) => (rate > highest ? rate : highest), 0n)
  const cluster = mempool && 'result' in mempool ? clusterLimits(mempool.result) : {}
  return { feeRate, estimated: estimated > 0n, cluster }
}

/** The fee rates below which a node takes nothing, as it names them. */
function floorsOf(mempool: RpcOutcome | undefined, network: RpcOutcome | undefined): bigint[] {
  return [rateIn(mempool, 'mempoolminfee'), rateIn(mempool, 'minrelaytxfee'), rateIn(network, 'relayfee')]
}

function rateIn(outcome: RpcOutcome | undefined, name: string): bigint {
  return (outcome && 'result' in outcome && feeField(outcome.result, name)) || 0n
}

function clusterLimits(mempoolInfo: unknown): Partial<ClusterLimits> {
  const { limitclustercount, limitclustersize } = asObject(mempoolInfo, 'getmempoolinfo')
  return {
    ...(limitclustercount === undefined ? {} : { count: asInteger(limitclustercount, 'limitclustercount') }),
    ...(limitclustersize === undefined ? {} : { vbytes: asInteger(limitclustersize, 'limitclustersize') }),
  }
}

function feeField(result: unknown, name: string): bigint | undefined {
  const value = asObject(result, name)[name]
  const rate = value === undefined ? 0n : asAmount(value, name)
  return rate > 0n ? rate : undefined
}

/** The values that decide whether a wallet must be searched, and how far. */
export interface WalletState {
  txCount: number | undefined
  /** Whether the wallet itself runs a rescan. */
  scanning: boolean
  /** For each of the addresses asked about `1` where the wallet has its key and `0` where not. */
  keys: string
}

/** The state of the wallet, and whether it has the keys of `addresses`. @throws {NodeError} {@link RpcError} */
export async function readWalletState(
  rpc: WalletRpc,
  blockchain: Blockchain,
  addresses: readonly string[],
): Promise<WalletState> {
  // Nodes of the 1.14 family say in `validateaddress` what Core has had in `getaddressinfo` alone since 0.18.
  const method = CHAINS[blockchain].segwit ? 'getaddressinfo' : 'validateaddress'
  const [info, ...owned] = await rpc([
    { method: 'getwalletinfo', params: [] },
    ...addresses.map((address) => ({ method, params: [address] })),
  ])
  const { txcount, scanning } = asObject(resultOf('getwalletinfo', info), 'getwalletinfo')
  return {
    // An address that the node can't read is not the wallet's, and no reason to stop.
    keys: owned
      .map((outcome) => ('result' in outcome && asObject(outcome.result, method).ismine === true ? '1' : '0'))
      .join(''),
    txCount: txcount === undefined ? undefined : asInteger(txcount, 'txcount'),
    // `false`, or its progress; nodes before 0.17 do not have the field.
    scanning: typeof scanning === 'object' && scanning !== null,
  }
}

/** Address types whose keys a descriptor wallet counts together; only one type is used here. */
const ADDRESS_KINDS = 4

/**
 * The size of the wallet's keypool: how many receiving keys it makes ahead. A restored backup finds no payment to a later key
 * by itself. `undefined` if the node does not report it. @throws {NodeError} {@link RpcError}
 */
export async function readKeysAhead(rpc: WalletRpc): Promise<number | undefined> {
  const { keypoolsize, descriptors } = asObject(await callNode(rpc, 'getwalletinfo'), 'getwalletinfo')
  if (keypoolsize === undefined) return undefined
  const keys = asInteger(keypoolsize, 'keypoolsize')
  return descriptors === true ? Math.floor(keys / ADDRESS_KINDS) : keys
}

/** The problem of an encrypted wallet that is locked. */
export const WALLET_LOCKED = 'the wallet is locked'

/** All that the wallet holds and trusts, what is locked included, in base units. @throws {NodeError} {@link RpcError} */
export async function readBalance(rpc: WalletRpc): Promise<bigint> {
  return asAmount(await callNode(rpc, 'getbalance'), 'getbalance')
}

/** Why the wallet can't pay for new work, for the operator; `undefined` if it can. `need` in base units. */
export async function findWalletProblem(rpc: WalletRpc, need: bigint): Promise<string | undefined> {
  const [wallet, balance] = await rpc([
    { method: 'getwalletinfo', params: [] },
    { method: 'getbalance', params: [] },
  ])
  if (wallet && 'error' in wallet) return `the node has no usable wallet: ${wallet.error.message}`
  const info = asObject(resultOf('getwalletinfo', wallet), 'getwalletinfo')
  // The field is absent on a wallet without a passphrase.
  if (info.unlocked_until !== undefined && asInteger(info.unlocked_until, 'unlocked_until') === 0) {
    return WALLET_LOCKED
  }
  if (balance && 'error' in balance) return `the node has no usable wallet: ${balance.error.message}`
  const coins = asAmount(resultOf('getbalance', balance), 'getbalance')
  if (coins < need) return `the wallet is out of coins: it has ${formatAmount(coins)} and needs ${formatAmount(need)}`
  return undefined
}
