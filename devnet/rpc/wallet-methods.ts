import { toHex } from '../../protocol/bytes.ts'
import { dustLimit } from '../accept-transaction.ts'
import { type LedgerTransaction, outpoint } from '../ledger-transaction.ts'
import type { Node } from '../node.ts'
import { InsufficientFunds, payFromWallet, sweepWallet, unspentCoins } from '../pay-from-wallet.ts'
import { FAUCET, SERVICE } from '../premine.ts'
import { rejectionText } from '../rejection.ts'
import type { Wallet } from '../wallet.ts'
import { toScript } from './address-methods.ts'
import { bumpfee } from './bump-fee.ts'
import type { Json } from './exact-json.ts'
import { type CallContext, type Method, type Methods, method } from './method.ts'
import { type Params, toAmount, toArray, toBoolean, toHash, toInteger, toObject, toText } from './params.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** The wallet that pays: if the URL names none, the faucet instead of the service's wallet. */
function payer({ node, wallet, walletName }: CallContext): Wallet {
  const named = wallet()
  if (walletName !== undefined) return named
  return named.name === SERVICE ? (node.wallets.get(FAUCET) ?? named) : named
}

function pay(context: CallContext, outputs: { value: bigint; script: Uint8Array }[], subtractFee: boolean): string {
  const { node } = context
  const core = node.settings.dialect === 'core'
  if (!core && outputs.some(({ value }) => value <= 0n)) throw new RpcError(RPC.TYPE, 'Invalid amount for send')
  if (outputs.some(({ value, script }) => value < dustLimit(script, node.settings))) {
    throw new RpcError(core ? RPC.INSUFFICIENT_FUNDS : RPC.WALLET, 'Transaction amount too small')
  }
  let transaction: LedgerTransaction
  try {
    transaction = payFromWallet(node, context.signer(payer(context)), outputs, {
      subtractFee,
      replaceable: core,
    })
  } catch (error) {
    if (error instanceof InsufficientFunds) throw new RpcError(RPC.INSUFFICIENT_FUNDS, error.message)
    throw error
  }
  return submit(node, transaction)
}

/**
 * Sends a transaction of a wallet to the mempool and returns its txid.
 * @throws {RpcError} -4
 */
function submit(node: Node, transaction: LedgerTransaction): string {
  const refused = node.submit(transaction)
  if (refused) {
    throw new RpcError(
      RPC.WALLET,
      `The transaction was rejected! Reason given: ${rejectionText(refused, node.settings)}`,
    )
  }
  return transaction.txid
}

/** `sendall` to one address, to empty a wallet. */
const sendall: Method['run'] = (context, params) => {
  const { node } = context
  const [recipient, ...others] = toArray(params.values[0])
  if (recipient === undefined || others.length > 0) {
    throw new RpcError(RPC.INVALID_PARAMETER, 'This embedded node sends all to exactly one address')
  }
  try {
    const transaction = sweepWallet(node, context.signer(payer(context)), toScript(node, toText(recipient)))
    return { txid: submit(node, transaction), complete: true }
  } catch (error) {
    if (error instanceof InsufficientFunds) throw new RpcError(RPC.INSUFFICIENT_FUNDS, error.message)
    throw error
  }
}

/** The options of listunspent that choose by amount; `count` and `sum` end the list. */
function readCoinOptions(params: Params) {
  const options = params.object(4)
  const amount = (name: string) => (options[name] === undefined ? undefined : toAmount(options[name]))
  return {
    least: amount('minimumAmount') ?? 0n,
    most: amount('maximumAmount'),
    count: options.maximumCount === undefined ? 0 : toInteger(options.maximumCount),
    sum: amount('minimumSumAmount'),
    immature: options.include_immature_coinbase !== undefined && toBoolean(options.include_immature_coinbase),
  }
}

/** Ends a list of coins where `maximumCount` or `minimumSumAmount` of listunspent does. */
function limitCoins<T extends { value: bigint }>(coins: readonly T[], count: number, sum: bigint | undefined): T[] {
  let total = 0n
  const end = coins.findIndex(({ value }, index) => {
    const reached = (sum !== undefined && total >= sum) || (count > 0 && index >= count)
    total += value
    return reached
  })
  return end < 0 ? [...coins] : coins.slice(0, end)
}

const listunspent: Method['run'] = ({ node, wallet }, params) => {
  const own = wallet()
  const least = params.integer(0, 1)
  const most = params.integer(1, 9_999_999)
  const addresses = new Set(params.list(2).map(toText))
  for (const address of addresses) toScript(node, address)
  const unsafe = params.boolean(3, true)
  const core = node.settings.dialect === 'core'
  const options = readCoinOptions(params)
  const coins = unspentCoins(node, own)
    .filter((coin) => (options.immature || !coin.immature) && !own.locked.has(coin.name) && (unsafe || coin.safe))
    .filter((coin) => coin.confirmations >= least && coin.confirmations <= most)
    .filter(({ key }) => addresses.size === 0 || addresses.has(key.address))
    .filter(({ value }) => value >= options.least && (options.most === undefined || value <= options.most))
  return limitCoins(coins, options.count, options.sum).map(({ txid, vout, value, key, confirmations, safe }) => ({
    txid,
    vout,
    address: key.address,
    label: key.change ? undefined : key.label,
    scriptPubKey: toHex(key.script),
    amount: value,
    confirmations,
    spendable: true,
    solvable: true,
    safe: core ? safe : undefined,
  }))
}

const lockunspent: Method['run'] = ({ node, wallet }, params) => {
  const own = wallet()
  const unlock = params.boolean(0, false)
  const persistent = node.settings.dialect === 'core' && params.boolean(2, false)
  if (!params.has(1)) {
    if (unlock) node.unlockCoins(own, [...own.locked])
    return true
  }
  const refuse = (reason: string) => new RpcError(RPC.INVALID_PARAMETER, `Invalid parameter, ${reason}`)
  const names = params.list(1).map((item) => {
    const output = toObject(item)
    const txid = toHash(output.txid, 'txid')
    const vout = toInteger(output.vout)
    const known = own.transactions.get(txid)
    if (!known) throw refuse('unknown transaction')
    if (vout < 0 || vout >= known.transaction.outputs.length) throw refuse('vout index out of bounds')
    const name = outpoint(txid, vout)
    if (!node.coin(name, { waiting: true })) throw refuse('expected unspent output')
    if (unlock && !own.locked.has(name)) throw refuse('expected locked output')
    if (!unlock && !persistent && own.locked.has(name)) throw refuse('output already locked')
    return name
  })
  if (unlock) node.unlockCoins(own, names)
  else node.lockCoins(own, names, persistent)
  return true
}

function balances(node: Node, wallet: Wallet): { trusted: bigint; pending: bigint; immature: bigint } {
  const sum = { trusted: 0n, pending: 0n, immature: 0n }
  for (const coin of unspentCoins(node, wallet)) {
    if (coin.immature) sum.immature += coin.value
    else if (coin.safe) sum.trusted += coin.value
    else sum.pending += coin.value
  }
  return sum
}

/** As in nodes: 0 while it is locked, and absent without a passphrase. */
function unlockedUntil({ time }: Node, { passphrase, unlockedUntil }: Wallet): number | undefined {
  if (passphrase === undefined) return undefined
  return time < unlockedUntil ? unlockedUntil : 0
}

function scanState({ time }: Node, { scan }: Wallet): Json {
  if (!scan || time >= scan.until) return false
  const duration = Math.max(0, time - scan.from)
  return { duration, progress: duration / (scan.until - scan.from) }
}

const getwalletinfo: Method['run'] = ({ node, wallet }) => {
  const own = wallet()
  const { trusted, pending, immature } = balances(node, own)
  const sums = { balance: trusted, unconfirmed_balance: pending, immature_balance: immature }
  const { cluster, dialect } = node.settings
  if (dialect === 'dogecoin') {
    const size = { txcount: own.transactions.size, keypoolsize: 100, unlocked_until: unlockedUntil(node, own) }
    return { walletversion: 130_000, ...sums, ...size, paytxfee: 0n }
  }
  return {
    walletname: own.name,
    walletversion: 169900,
    format: 'sqlite',
    ...(cluster ? {} : sums),
    txcount: own.transactions.size,
    keypoolsize: 4000,
    keypoolsize_hd_internal: 4000,
    unlocked_until: unlockedUntil(node, own),
    paytxfee: 0n,
    private_keys_enabled: true,
    avoid_reuse: false,
    scanning: scanState(node, own),
    descriptors: true,
    external_signer: false,
    blank: false,
    birthtime: node.chain.active[0]?.time ?? 0,
    flags: ['last_hardened_xpub_cached', 'descriptor_wallet'],
    lastprocessedblock: { hash: node.chain.tip.hash, height: node.chain.height },
  }
}

/** RPC methods about balances and payments of a wallet. */
export const walletMethods: Methods = {
  getbalance: method(
    'dummy? minconf? include_watchonly? avoid_reuse?',
    ({ node, wallet }) => balances(node, wallet()).trusted,
  ),
  getunconfirmedbalance: method('', ({ node, wallet }) => balances(node, wallet()).pending),
  getbalances: method('', ({ node, wallet }) => {
    const { trusted, pending, immature } = balances(node, wallet())
    const lastprocessedblock = { hash: node.chain.tip.hash, height: node.chain.height }
    return { mine: { trusted, untrusted_pending: pending, immature }, lastprocessedblock }
  }),
  getwalletinfo: method('', getwalletinfo),
  listunspent: method('minconf? maxconf? addresses? include_unsafe? query_options?', listunspent),
  lockunspent: method('unlock transactions? persistent?', lockunspent),
  listlockunspent: method('', ({ wallet }) =>
    [...wallet().locked].map((name) => {
      const [txid = '', vout = ''] = name.split(':')
      return { txid, vout: Number(vout) }
    }),
  ),
  sendtoaddress: method(
    'address amount comment? comment_to? subtractfeefromamount? replaceable? conf_target? estimate_mode? avoid_reuse? fee_rate? verbose?',
    (context, params) => {
      const script = toScript(context.node, params.text(0))
      return pay(context, [{ value: params.amount(1), script }], params.boolean(4, false))
    },
  ),
  bumpfee: method('txid options?', bumpfee),
  sendall: method('recipients conf_target? estimate_mode? fee_rate? options?', sendall),
  sendmany: method('dummy amounts minconf? comment? subtractfeefrom? replaceable?', (context, params) => {
    const outputs = Object.entries(params.object(1)).map(([address, amount]) => ({
      script: toScript(context.node, address),
      value: toAmount(amount),
    }))
    return pay(context, outputs, params.list(4).length > 0)
  }),
}
