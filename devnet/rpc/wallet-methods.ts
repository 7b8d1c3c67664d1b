import { toHex } from '../../protocol/bytes.ts'
import { dustLimit } from '../accept-transaction.ts'
import { type LedgerTransaction, outpoint } from '../ledger-transaction.ts'
import type { Node } from '../node.ts'
import { InsufficientFunds, payFromWallet, unspentCoins } from '../pay-from-wallet.ts'
import { FAUCET, SERVICE } from '../premine.ts'
import type { Wallet } from '../wallet.ts'
import { toScript } from './address-methods.ts'
import { type CallContext, type Method, type Methods, method } from './method.ts'
import { toAmount, toHash, toInteger, toObject, toText } from './params.ts'
import { rejectionText } from './raw-transaction-methods.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** The wallet that payments come from: the faucet instead of the service's own. */
function payer({ node, wallet }: CallContext): Wallet {
  const named = wallet()
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
  const refused = node.submit(transaction)
  if (refused) {
    throw new RpcError(
      RPC.WALLET,
      `The transaction was rejected! Reason given: ${rejectionText(refused, node.settings)}`,
    )
  }
  return transaction.txid
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

/** What a wallet has, and paying. */
export const walletMethods: Methods = {
  getbalance: method(
    'dummy? minconf? include_watchonly? avoid_reuse?',
    ({ node, wallet }) => balances(node, wallet()).trusted,
  ),
  getunconfirmedbalance: method('', ({ node, wallet }) => balances(node, wallet()).pending),
  getbalances: method('', ({ node, wallet }) => {
    const { trusted, pending, immature } = balances(node, wallet())
    return { mine: { trusted, untrusted_pending: pending, immature } }
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
      // As nodes do: 0 while it is locked, and no such field where there is no passphrase.
      unlocked_until: own.passphrase === undefined ? undefined : node.time < own.unlockedUntil ? own.unlockedUntil : 0,
      paytxfee: 0n,
      private_keys_enabled: core ? true : undefined,
      avoid_reuse: core ? false : undefined,
      scanning: core ? false : undefined,
      descriptors: core ? true : undefined,
    }
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
}
