import { toHex } from '../../protocol/bytes.ts'
import { dustLimit } from '../accept-transaction.ts'
import { addressScript, classifyScript, scriptAddress } from '../address.ts'
import type { Block } from '../chain.ts'
import { type LedgerTransaction, outpoint } from '../ledger-transaction.ts'
import type { Node } from '../node.ts'
import { InsufficientFunds, payFromWallet, unspentCoins } from '../pay-from-wallet.ts'
import { FAUCET, SERVICE } from '../premine.ts'
import type { Wallet, WalletTransaction } from '../wallet.ts'
import { describeTransaction } from './describe-transaction.ts'
import type { Json } from './exact-json.ts'
import { findBlock } from './find-block.ts'
import { type CallContext, type Method, type Methods, method } from './method.ts'
import { type Params, toAmount, toHash, toInteger, toObject, toText } from './params.ts'
import { rejectionText } from './raw-transaction-methods.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** The wallet that payments come from: the faucet instead of the service's own. */
function payer({ node, wallet }: CallContext): Wallet {
  const named = wallet()
  return named.name === SERVICE ? (node.wallets.get(FAUCET) ?? named) : named
}

function toScript(node: Node, address: string): Uint8Array {
  const script = addressScript(address, node.settings.address)
  if (!script) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, `Invalid ${node.settings.blockchain} address: ${address}`)
  return script
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
    transaction = payFromWallet(node, payer(context), outputs, {
      subtractFee,
      replaceable: core,
    })
  } catch (error) {
    if (error instanceof InsufficientFunds) throw new RpcError(RPC.INSUFFICIENT_FUNDS, error.message)
    throw error
  }
  const refused = node.submit(transaction)
  if (refused) {
    throw new RpcError(
      RPC.WALLET,
      `The transaction was rejected! Reason given: ${rejectionText(refused, node.settings)}`,
    )
  }
  return transaction.txid
}

/** Depth of a wallet transaction: 0 while it waits, negative once a block holds a conflicting one. */
function depth(node: Node, { transaction }: WalletTransaction): { confirmations: number; block?: Block } {
  const confirmed = node.chain.confirmed.get(transaction.txid)
  if (confirmed) return { confirmations: node.chain.confirmations(confirmed.block), block: confirmed.block }
  return { confirmations: 0 }
}

/** Other transactions of the wallet that spend what this one spends. */
function conflictsOf(node: Node, wallet: Wallet, { transaction }: WalletTransaction): string[] {
  if (node.chain.confirmed.has(transaction.txid) || node.mempool.entries.has(transaction.txid)) return []
  const mine = new Set(transaction.outpoints)
  return [...wallet.transactions.values()]
    .filter((other) => other.transaction !== transaction && other.transaction.outpoints.some((name) => mine.has(name)))
    .map((other) => other.transaction.txid)
}

function describeWalletTransaction(
  node: Node,
  wallet: Wallet,
  own: WalletTransaction,
): { [key: string]: Json | undefined } {
  const { transaction, time } = own
  const { confirmations, block } = depth(node, own)
  const conflicts = conflictsOf(node, wallet, own)
  const confirmedConflict = conflicts.map((txid) => node.chain.confirmed.get(txid)).find((found) => found !== undefined)
  const core = node.settings.dialect === 'core'
  return {
    confirmations: confirmedConflict ? -node.chain.confirmations(confirmedConflict.block) : confirmations,
    generated: transaction.coinbase || undefined,
    trusted: confirmations === 0 ? own.debit > 0n && node.mempool.entries.has(transaction.txid) : undefined,
    blockhash: block?.hash,
    blockheight: core ? block?.height : undefined,
    blockindex: block?.transactions.indexOf(transaction),
    blocktime: block?.time,
    txid: transaction.txid,
    wtxid: core ? transaction.wtxid : undefined,
    walletconflicts: conflicts,
    time,
    timereceived: time,
    'bip125-replaceable': confirmations === 0 && core ? 'yes' : 'no',
  }
}

function feeOf(own: WalletTransaction): bigint {
  return own.transaction.outputs.reduce((sum, { value }) => sum + value, 0n) - own.debit
}

/** One entry for every output sent, and one for every output received, as gettransaction and listsinceblock give them. */
function details(node: Node, wallet: Wallet, own: WalletTransaction): { [key: string]: Json | undefined }[] {
  const { transaction, debit } = own
  const entries: { [key: string]: Json | undefined }[] = []
  const { confirmations } = depth(node, own)
  const receive = transaction.coinbase
    ? confirmations > node.settings.coinbaseMaturity
      ? 'generate'
      : confirmations > 0
        ? 'immature'
        : 'orphan'
    : 'receive'
  const outputs = transaction.outputs
    .map((output, vout) => ({
      ...output,
      vout,
      key: wallet.keyFor(output.script),
      address: scriptAddress(output.script, node.settings.address),
    }))
    .filter(({ key }) => debit === 0n || !key?.change)
  if (debit > 0n) {
    for (const { vout, value, address, key } of outputs) {
      const common = { address, category: 'send', amount: -value, label: key?.label, vout, fee: feeOf(own) }
      entries.push({ ...common, abandoned: false })
    }
  }
  for (const { vout, value, address, key } of outputs) {
    if (!key) continue
    entries.push({ address, category: receive, amount: value, label: key.label, vout, abandoned: false })
  }
  return entries
}

const gettransaction: Method['run'] = ({ node, wallet }, params) => {
  const txid = params.hash(0, 'txid')
  const named = wallet()
  // What sendtoaddress answered is known to the wallet that was asked, though the faucet paid it.
  const owner = named.transactions.has(txid) || named.name !== SERVICE ? named : node.wallets.get(FAUCET)
  const own = owner?.transactions.get(txid)
  if (!own || !owner) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Invalid or non-wallet transaction id')
  const { transaction, debit } = own
  let credit = 0n
  for (const { value, script } of transaction.outputs) if (owner.keyFor(script)) credit += value
  const fee = debit > 0n ? feeOf(own) : undefined
  const core = node.settings.dialect === 'core'
  return {
    amount: credit - debit - (fee ?? 0n),
    fee,
    ...describeWalletTransaction(node, owner, own),
    details: details(node, owner, own),
    hex: toHex(transaction.raw),
    decoded: core && params.boolean(2, false) ? describeTransaction(transaction, node.settings) : undefined,
    lastprocessedblock: core ? { hash: node.chain.tip.hash, height: node.chain.height } : undefined,
  }
}

function listed(node: Node, wallet: Wallet, own: WalletTransaction): Json[] {
  const common = describeWalletTransaction(node, wallet, own)
  return details(node, wallet, own).map((entry) => ({ ...entry, ...common }))
}

const listsinceblock: Method['run'] = ({ node, wallet }, params) => {
  const own = wallet()
  const { chain } = node
  const depthWanted = params.integer(1, 1)
  if (depthWanted < 1) throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid parameter')
  const since = params.text(0, '') === '' ? undefined : findBlock(node, params.hash(0, 'blockhash'))
  let fork = since
  const removed: Json[] = []
  for (; fork && !chain.isActive(fork); fork = fork.parent) {
    for (const { txid } of fork.transactions) {
      const gone = own.transactions.get(txid)
      if (gone) removed.push(...listed(node, own, gone))
    }
  }
  const transactions: Json[] = []
  for (const known of own.transactions.values()) {
    const { block } = depth(node, known)
    if (!block || !fork || block.height > fork.height) transactions.push(...listed(node, own, known))
  }
  const core = node.settings.dialect === 'core'
  return {
    transactions,
    removed: core && params.boolean(3, true) ? removed : undefined,
    lastblock: chain.active[Math.max(0, chain.height + 1 - depthWanted)]?.hash ?? chain.tip.hash,
  }
}

const listunspent: Method['run'] = ({ node, wallet }, params) => {
  const own = wallet()
  const least = params.integer(0, 1)
  const most = params.integer(1, 9_999_999)
  const addresses = new Set(params.list(2).map(toText))
  for (const address of addresses) toScript(node, address)
  const unsafe = params.boolean(3, true)
  const core = node.settings.dialect === 'core'
  return unspentCoins(node, own)
    .filter((coin) => !coin.immature && !own.locked.has(coin.name) && (unsafe || coin.safe))
    .filter((coin) => coin.confirmations >= least && coin.confirmations <= most)
    .filter(({ key }) => addresses.size === 0 || addresses.has(key.address))
    .map(({ txid, vout, value, key, confirmations, safe }) => ({
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
  if (!params.has(1)) {
    if (unlock) own.locked.clear()
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
    if (!unlock && own.locked.has(name)) throw refuse('output already locked')
    return name
  })
  for (const name of names) {
    if (unlock) own.locked.delete(name)
    else own.locked.add(name)
  }
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

const getaddressinfo: Method['run'] = ({ node, wallet }, params) => {
  const address = params.text(0)
  const script = addressScript(address, node.settings.address)
  if (!script)
    throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Invalid or unsupported Segwit (Bech32) or Base58 encoding.')
  const key = wallet().keyFor(script)
  const { type, program } = classifyScript(script)
  const witness = type.startsWith('witness')
  return {
    address,
    scriptPubKey: toHex(script),
    ismine: key !== undefined,
    solvable: key !== undefined,
    iswatchonly: false,
    isscript: type === 'scripthash' || type === 'witness_v0_scripthash',
    iswitness: witness,
    witness_version: witness ? (type === 'witness_v1_taproot' ? 1 : 0) : undefined,
    witness_program: witness && program ? toHex(program) : undefined,
    pubkey: key && toHex(key.publicKey),
    iscompressed: key && !witness ? true : undefined,
    ischange: key?.change ?? false,
    labels: key && !key.change ? [key.label] : [],
  }
}

const validateaddress: Method['run'] = ({ node, wallet }, params) => {
  const address = params.text(0)
  const script = addressScript(address, node.settings.address)
  const core = node.settings.dialect === 'core'
  if (!script) {
    if (!core) return { isvalid: false }
    return { isvalid: false, error_locations: [], error: 'Invalid or unsupported Segwit (Bech32) or Base58 encoding.' }
  }
  const { type } = classifyScript(script)
  return {
    isvalid: true,
    address,
    scriptPubKey: toHex(script),
    ismine: core ? undefined : wallet().keyFor(script) !== undefined,
    isscript: type === 'scripthash' || type === 'witness_v0_scripthash',
    iswitness: core ? type.startsWith('witness') : undefined,
  }
}

function newAddress({ node, wallet }: CallContext, params: Params, change: boolean): string {
  const own = wallet()
  const core = node.settings.dialect === 'core'
  const type = params.text(change ? 0 : 1, '')
  if (core && !['', 'legacy', 'bech32'].includes(type)) {
    throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, `Unknown address type '${type}'`)
  }
  const chosen = type === 'legacy' || type === 'bech32' ? type : undefined
  return node.newKey(own, change ? '' : params.text(0, ''), change, chosen).address
}

/** The wallets: the service's (no name), the faucet, and any that is made. */
export const walletMethods: Methods = {
  getnewaddress: method('label? address_type?', (context, params) => newAddress(context, params, false)),
  getrawchangeaddress: method('address_type?', (context, params) => newAddress(context, params, true)),
  getaddressinfo: method('address', getaddressinfo),
  validateaddress: method('address', validateaddress),
  getbalance: method(
    'dummy? minconf? include_watchonly? avoid_reuse?',
    ({ node, wallet }) => balances(node, wallet()).trusted,
  ),
  getunconfirmedbalance: method('', ({ node, wallet }) => balances(node, wallet()).pending),
  getbalances: method('', ({ node, wallet }) => {
    const { trusted, pending, immature } = balances(node, wallet())
    return { mine: { trusted, untrusted_pending: pending, immature } }
  }),
  getreceivedbyaddress: method('address minconf?', ({ node, wallet }, params) => {
    const script = toScript(node, params.text(0))
    const own = wallet()
    if (!own.keyFor(script)) throw new RpcError(RPC.WALLET, 'Address not found in wallet')
    const least = params.integer(1, 1)
    let sum = 0n
    for (const known of own.transactions.values()) {
      if (depth(node, known).confirmations < least) continue
      for (const output of known.transaction.outputs) if (toHex(output.script) === toHex(script)) sum += output.value
    }
    return sum
  }),
  getwalletinfo: method('', ({ node, wallet }) => {
    const own = wallet()
    const { trusted, pending, immature } = balances(node, own)
    const core = node.settings.dialect === 'core'
    return {
      walletname: core ? own.name : undefined,
      walletversion: core ? 169900 : 130000,
      format: core ? 'sqlite' : undefined,
      balance: trusted,
      unconfirmed_balance: pending,
      immature_balance: immature,
      txcount: own.transactions.size,
      keypoolsize: 1000,
      paytxfee: 0n,
      private_keys_enabled: core ? true : undefined,
      avoid_reuse: core ? false : undefined,
      scanning: core ? false : undefined,
      descriptors: core ? true : undefined,
    }
  }),
  gettransaction: method('txid include_watchonly? verbose?', gettransaction),
  listsinceblock: method('blockhash? target_confirmations? include_watchonly? include_removed?', listsinceblock),
  listtransactions: method('label? count? skip? include_watchonly?', ({ node, wallet }, params) => {
    const own = wallet()
    const all = [...own.transactions.values()].flatMap((known) => listed(node, own, known))
    const end = all.length - params.integer(2, 0)
    return all.slice(Math.max(0, end - params.integer(1, 10)), Math.max(0, end))
  }),
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
  sendmany: method('dummy amounts minconf? comment? subtractfeefrom? replaceable?', (context, params) => {
    const outputs = Object.entries(params.object(1)).map(([address, amount]) => ({
      script: toScript(context.node, address),
      value: toAmount(amount),
    }))
    return pay(context, outputs, params.list(4).length > 0)
  }),
  listwallets: method('', ({ node }) => [...node.wallets.keys()]),
  createwallet: method(
    'wallet_name disable_private_keys? blank? passphrase? avoid_reuse? descriptors? load_on_startup?',
    ({ node }, params) => {
      const name = params.text(0)
      if (node.wallets.has(name)) {
        throw new RpcError(
          RPC.WALLET,
          `Wallet file verification failed. Failed to create database path '${name}'. Database already exists.`,
        )
      }
      node.createWallet(name)
      return { name }
    },
  ),
  loadwallet: method('filename load_on_startup?', ({ node }, params) => {
    const name = params.text(0)
    if (node.wallets.has(name)) {
      throw new RpcError(RPC.WALLET_ALREADY_LOADED, `Wallet "${name}" is already loaded.`)
    }
    throw new RpcError(
      RPC.WALLET_NOT_FOUND,
      `Wallet file verification failed. Failed to load database path '${name}'. Path does not exist.`,
    )
  }),
}
