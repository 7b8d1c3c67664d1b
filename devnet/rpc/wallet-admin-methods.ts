import { FAUCET } from '../premine.ts'
import { type Methods, method } from './method.ts'
import { RPC, RpcError } from './rpc-error.ts'

const ENCRYPTED =
  'wallet encrypted; The keypool has been flushed and a new HD seed was generated (if you are using HD). You need to make a new backup.'

function wrongState(state: 'encrypted' | 'unencrypted', called: string): RpcError {
  const article = state === 'encrypted' ? 'an encrypted' : 'an unencrypted'
  return new RpcError(RPC.WALLET_WRONG_ENC_STATE, `Error: running with ${article} wallet, but ${called} was called.`)
}

/** RPC methods that create, load, lock and rescan wallets. */
export const walletAdminMethods: Methods = {
  listwallets: method('', ({ node }) =>
    [...node.wallets.values()].filter(({ name, loaded }) => loaded && name !== FAUCET).map(({ name }) => name),
  ),
  createwallet: method(
    'wallet_name disable_private_keys? blank? passphrase? avoid_reuse? descriptors? load_on_startup? external_signer?',
    ({ node }, params) => {
      const name = params.text(0)
      if (node.wallets.has(name)) {
        const text = `Wallet file verification failed. Failed to create database path '${name}'. Database already exists.`
        throw new RpcError(RPC.WALLET, text)
      }
      node.createWallet(name, params.boolean(6, false))
      return { name }
    },
  ),
  loadwallet: method('filename load_on_startup?', ({ node }, params) => {
    const name = params.text(0)
    const wallet = node.wallets.get(name)
    if (!wallet) {
      const text = `Wallet file verification failed. Failed to load database path '${name}'. Path does not exist.`
      throw new RpcError(RPC.WALLET_NOT_FOUND, text)
    }
    if (wallet.loaded) throw new RpcError(RPC.WALLET_ALREADY_LOADED, `Wallet "${name}" is already loaded.`)
    wallet.loaded = true
    return { name }
  }),
  unloadwallet: method('wallet_name? load_on_startup?', ({ node, wallet }, params) => {
    const named = params.has(0) ? node.wallets.get(params.text(0)) : wallet()
    if (!named?.loaded) {
      throw new RpcError(RPC.WALLET_NOT_FOUND, 'Requested wallet does not exist or is not loaded')
    }
    named.loaded = false
    return {}
  }),
  rescanblockchain: method('start_height? stop_height?', ({ node, wallet }, params) => {
    const own = wallet()
    if (own.scan && node.time < own.scan.until) {
      throw new RpcError(RPC.WALLET, 'Wallet is currently rescanning. Abort existing rescan or wait.')
    }
    const start = params.integer(0, 0)
    if (start < 0 || start > node.chain.height) throw new RpcError(RPC.INVALID_PARAMETER, 'Invalid start_height')
    node.rescan(own, start)
    return { start_height: start, stop_height: node.chain.height }
  }),
  encryptwallet: method('passphrase', ({ node, wallet }, params) => {
    const own = wallet()
    if (own.passphrase !== undefined) throw wrongState('encrypted', 'encryptwallet')
    const passphrase = params.text(0)
    if (passphrase === '') throw new RpcError(RPC.INVALID_PARAMETER, 'passphrase can not be empty')
    node.encryptWallet(own, passphrase)
    return ENCRYPTED
  }),
  walletpassphrase: method('passphrase timeout', ({ node, wallet }, params) => {
    const own = wallet()
    if (own.passphrase === undefined) throw wrongState('unencrypted', 'walletpassphrase')
    const passphrase = params.text(0)
    const seconds = params.integer(1)
    if (seconds < 0) throw new RpcError(RPC.INVALID_PARAMETER, 'Timeout cannot be negative.')
    if (own.passphrase !== passphrase) {
      throw new RpcError(RPC.WALLET_PASSPHRASE_INCORRECT, 'Error: The wallet passphrase entered was incorrect.')
    }
    own.unlockedUntil = node.time + seconds
    return null
  }),
  walletlock: method('', ({ wallet }) => {
    const own = wallet()
    if (own.passphrase === undefined) throw wrongState('unencrypted', 'walletlock')
    own.unlockedUntil = 0
    return null
  }),
}
