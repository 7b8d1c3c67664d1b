import { toHex } from '../../protocol/bytes.ts'
import { addressScript, classifyScript } from '../address.ts'
import type { Node } from '../node.ts'
import type { WalletKey } from '../wallet.ts'
import { depth } from './describe-wallet-transaction.ts'
import { type CallContext, type Method, type Methods, method } from './method.ts'
import type { Params } from './params.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** The output script of an address of this chain. @throws {RpcError} -5 */
export function toScript(node: Node, address: string): Uint8Array {
  const script = addressScript(address, node.settings.address)
  if (!script) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, `Invalid ${node.settings.blockchain} address: ${address}`)
  return script
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
  const { type, program } = classifyScript(script)
  const witness = type.startsWith('witness')
  return {
    isvalid: true,
    address,
    scriptPubKey: toHex(script),
    ismine: core ? undefined : wallet().keyFor(script) !== undefined,
    isscript: type === 'scripthash' || type === 'witness_v0_scripthash',
    iswitness: core ? witness : undefined,
    witness_version: witness ? (type === 'witness_v1_taproot' ? 1 : 0) : undefined,
    witness_program: witness && program ? toHex(program) : undefined,
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

function addressesLabelled({ wallet }: CallContext, label: string): WalletKey[] {
  return [...wallet().keys.values()].filter((key) => !key.change && key.label === label)
}

const getaddressesbylabel: Method['run'] = (context, params) => {
  const label = params.text(0)
  const keys = addressesLabelled(context, label)
  if (keys.length === 0) throw new RpcError(RPC.WALLET_INVALID_LABEL_NAME, `No addresses with label ${label}`)
  return Object.fromEntries(keys.map(({ address }) => [address, { purpose: 'receive' }]))
}

/** RPC methods about addresses. */
export const addressMethods: Methods = {
  getnewaddress: method('label? address_type?', (context, params) => newAddress(context, params, false)),
  getrawchangeaddress: method('address_type?', (context, params) => newAddress(context, params, true)),
  getaddressinfo: method('address', getaddressinfo),
  validateaddress: method('address', validateaddress),
  getaddressesbylabel: method('label', getaddressesbylabel),
  getaddressesbyaccount: method('account', (context, params) =>
    addressesLabelled(context, params.text(0)).map(({ address }) => address),
  ),
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
}
