import { type Blockchain, CHAINS } from '../../../protocol/chains.ts'
import { NodeError } from './rpc-transport.ts'
import { asAmount, asList, asObject, asText, callNode, requestInParts, resultOf, type WalletRpc } from './wallet-rpc.ts'

/**
 * A new receiving address of the wallet with its script in hex. The wallet stores the label; nodes of the 1.14 family call
 * it an account. @throws {NodeError} {@link RpcError}
 */
export async function newAddress(rpc: WalletRpc, label: string): Promise<{ address: string; script: string }> {
  const address = asText(await callNode(rpc, 'getnewaddress', [label]), 'getnewaddress')
  return { address, script: await readScript(rpc, address) }
}

/** Labels that are looked up by one request. */
const LABELS_PER_REQUEST = 100

/** RPC_WALLET_INVALID_LABEL_NAME: the wallet has no address with a label. */
const NO_SUCH_LABEL = -11

/**
 * How many addresses of the wallet have each of these labels (an account on nodes of the 1.14 family); none where no address has it.
 * @throws {NodeError} {@link RpcError}
 */
export async function countLabelled(
  rpc: WalletRpc,
  blockchain: Blockchain,
  labels: readonly string[],
): Promise<Map<string, number>> {
  const { segwit } = CHAINS[blockchain]
  const method = segwit ? 'getaddressesbylabel' : 'getaddressesbyaccount'
  const outcomes = await requestInParts(
    rpc,
    labels.map((label) => ({ method, params: [label] })),
    LABELS_PER_REQUEST,
  )
  const counted = labels.map((label, index) => {
    const outcome = outcomes[index]
    if (outcome && 'error' in outcome && outcome.error.code === NO_SUCH_LABEL) return [label, 0] as const
    const result = resultOf(method, outcome)
    // An object with a field for each address, or their list.
    const addresses = segwit ? Object.keys(asObject(result, method)) : asList(result, method)
    return [label, addresses.length] as const
  })
  return new Map(counted.filter(([, count]) => count > 0))
}

/** Gives a new address of the wallet a label. @throws {NodeError} {@link RpcError} */
export async function addLabel(rpc: WalletRpc, label: string): Promise<void> {
  asText(await callNode(rpc, 'getnewaddress', [label]), 'getnewaddress')
}

/** A new script for change, one whose signatures are of a known size: P2WPKH, or P2PKH without segwit. */
export async function newChangeScript(rpc: WalletRpc, blockchain: Blockchain): Promise<string> {
  const params = CHAINS[blockchain].segwit ? ['bech32'] : []
  return readScript(rpc, asText(await callNode(rpc, 'getrawchangeaddress', params), 'getrawchangeaddress'))
}

/** Script in hex of an address of anybody, `undefined` where the node says that it is invalid. @throws {NodeError} */
export async function findAddressScript(rpc: WalletRpc, address: string): Promise<string | undefined> {
  const info = asObject(await callNode(rpc, 'validateaddress', [address]), 'validateaddress')
  if (info.isvalid !== true) return undefined
  return asScript(info.scriptPubKey)
}

async function readScript(rpc: WalletRpc, address: string): Promise<string> {
  // Dogecoin 1.14 has no getaddressinfo; Core removed the wallet's part from validateaddress in 0.18, not the script.
  const info = asObject(await callNode(rpc, 'validateaddress', [address]), 'validateaddress')
  return asScript(info.scriptPubKey)
}

function asScript(value: unknown): string {
  const script = asText(value, 'scriptPubKey')
  if (!/^(?:[0-9a-f]{2}){1,42}$/.test(script))
    throw new NodeError('invalid_response', 'The node returned no script for an address.')
  return script
}

/** The total that an address of the wallet has ever received, unconfirmed included. @throws {NodeError} {@link RpcError} */
export async function readReceived(rpc: WalletRpc, address: string): Promise<bigint> {
  return asAmount(await callNode(rpc, 'getreceivedbyaddress', [address, 0]), 'getreceivedbyaddress')
}
