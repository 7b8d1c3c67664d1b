import { AmountError, formatAmount, parseAmount } from '../../protocol/amount.ts'
import { type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { readStripped, TransactionError } from '../../protocol/transaction.ts'
import { type BlockHeader, merkleRoot, readBlockHeader } from './block-header.ts'
import { NodeError, type RpcOutcome } from './rpc-transport.ts'
import { asInteger, asList, asObject, asText, callNode, resultOf, type WalletRpc } from './wallet-rpc.ts'

/** What Bitcoin Core and its descendants answer where there is no such block, transaction or address. */
const NOT_FOUND = -5

/** The best block as the node has it. */
export async function readBestBlock(rpc: WalletRpc): Promise<{ height: number; hash: string; syncing: boolean }> {
  const info = asObject(await callNode(rpc, 'getblockchaininfo'), 'getblockchaininfo')
  const height = asInteger(info.blocks, 'blocks')
  // `initialblockdownload` came with Core 0.16; headers ahead of blocks say the same on older nodes.
  const behind = info.headers === undefined ? 0 : asInteger(info.headers, 'headers') - height
  const syncing = info.initialblockdownload === true || behind > 6
  return { height, hash: asText(info.bestblockhash, 'bestblockhash'), syncing }
}

/** Hashes of the best chain at these heights; `undefined` above its tip. */
export async function readBlockHashes(rpc: WalletRpc, heights: readonly number[]): Promise<(string | undefined)[]> {
  const outcomes = await rpc(heights.map((height) => ({ method: 'getblockhash', params: [height] })))
  // -8: block height out of range
  return outcomes.map((outcome) =>
    'error' in outcome && outcome.error.code === -8
      ? undefined
      : asText(resultOf('getblockhash', outcome), 'getblockhash'),
  )
}

function checkHeader(outcome: RpcOutcome | undefined, hash: string): BlockHeader {
  const header = readBlockHeader(asText(resultOf('getblockheader', outcome), 'getblockheader'))
  if (header?.hash !== hash) throw new NodeError('bad', `The node gave another header for block ${hash}.`)
  return header
}

/** Headers by hash, each hashed again here. @throws {NodeError} when one is not the block asked for. */
export async function readHeaders(rpc: WalletRpc, hashes: readonly string[]): Promise<BlockHeader[]> {
  const outcomes = await rpc(hashes.map((hash) => ({ method: 'getblockheader', params: [hash, false] })))
  return hashes.map((hash, index) => checkHeader(outcomes[index], hash))
}

/**
 * Headers by hash with the txids of each block, checked against its Merkle root.
 * @throws {NodeError} when the list is not the block's.
 */
export async function readBlocks(
  rpc: WalletRpc,
  hashes: readonly string[],
): Promise<(BlockHeader & { txids: string[] })[]> {
  // Without a verbosity every version answers with txids; Dogecoin before 1.14.7 takes no number there.
  const calls = hashes.flatMap((hash) => [
    { method: 'getblockheader', params: [hash, false] },
    { method: 'getblock', params: [hash] },
  ])
  const outcomes = await rpc(calls)
  return hashes.map((hash, index) => {
    const header = checkHeader(outcomes[2 * index], hash)
    const block = asObject(resultOf('getblock', outcomes[2 * index + 1]), 'getblock')
    const txids = asList(block.tx, 'tx').map((txid) => asText(txid, 'txid'))
    if (!txids.every((txid) => /^[0-9a-f]{64}$/.test(txid)) || merkleRoot(txids) !== header.merkleRoot) {
      throw new NodeError('bad', `The node's list of transactions is not that of block ${hash}.`)
    }
    return { ...header, txids }
  })
}

/** A payment to the wallet, as the node tells it; the raw transaction is what counts. */
export interface WalletEntry {
  txid: string
  address: string
  blockHash: string | undefined
  /** Milliseconds. */
  seenAt: number
}

/** Payments to the wallet in blocks after `hash`, and all without a block. @throws {NodeError} */
export async function listPaymentsSince(rpc: WalletRpc, hash: string): Promise<WalletEntry[]> {
  const answer = asObject(await callNode(rpc, 'listsinceblock', [hash]), 'listsinceblock')
  const entries: WalletEntry[] = []
  for (const item of asList(answer.transactions, 'transactions')) {
    const { category, address, txid, blockhash, timereceived } = asObject(item, 'transactions')
    if (category === 'send' || typeof address !== 'string') continue
    entries.push({
      txid: asText(txid, 'txid'),
      address,
      blockHash: typeof blockhash === 'string' ? blockhash : undefined,
      seenAt: 1000 * asInteger(timereceived, 'timereceived'),
    })
  }
  return entries
}

/** What the wallet knows of one of its transactions. */
export interface WalletTransaction {
  bytes: Uint8Array
  blockHash: string | undefined
  /** Below zero where a transaction that conflicts with it is in a block. */
  confirmations: number
}

/** Transactions of the wallet, hashed again here; `undefined` for what it does not know. @throws {NodeError} */
export async function readWalletTransactions(
  rpc: WalletRpc,
  txids: readonly string[],
): Promise<(WalletTransaction | undefined)[]> {
  const outcomes = await rpc(txids.map((txid) => ({ method: 'gettransaction', params: [txid] })))
  return outcomes.map((outcome, index) => {
    if ('error' in outcome && outcome.error.code === NOT_FOUND) return undefined
    const { hex, blockhash, confirmations } = asObject(resultOf('gettransaction', outcome), 'gettransaction')
    const bytes = Buffer.from(asText(hex, 'hex'), 'hex')
    checkTxid(bytes, txids[index] ?? '')
    return {
      bytes,
      blockHash: typeof blockhash === 'string' ? blockhash : undefined,
      confirmations: asInteger(confirmations, 'confirmations'),
    }
  })
}

function checkTxid(bytes: Uint8Array, txid: string): void {
  try {
    if (readStripped(bytes).txid === txid) return
  } catch (cause) {
    if (!(cause instanceof TransactionError)) throw cause
  }
  throw new NodeError('bad', `The node gave another transaction for ${txid}.`)
}

/** Which of `txids` are in the node's mempool. */
export async function readInMempool(rpc: WalletRpc, txids: readonly string[]): Promise<Set<string>> {
  const outcomes = await rpc(txids.map((txid) => ({ method: 'getmempoolentry', params: [txid] })))
  const found = txids.filter((_, index) => {
    const outcome = outcomes[index]
    if (outcome && 'error' in outcome && outcome.error.code === NOT_FOUND) return false
    resultOf('getmempoolentry', outcome)
    return true
  })
  return new Set(found)
}

/** A new receiving address of the wallet with its script in hex. @throws {NodeError} {@link RpcError} */
export async function newAddress(rpc: WalletRpc): Promise<{ address: string; script: string }> {
  const address = asText(await callNode(rpc, 'getnewaddress'), 'getnewaddress')
  return { address, script: await readScript(rpc, address) }
}

/** A new script for change, one whose signatures are of a known size: P2WPKH, or P2PKH without segwit. */
export async function newChangeScript(rpc: WalletRpc, blockchain: Blockchain): Promise<string> {
  const params = CHAINS[blockchain].segwit ? ['bech32'] : []
  return readScript(rpc, asText(await callNode(rpc, 'getrawchangeaddress', params), 'getrawchangeaddress'))
}

async function readScript(rpc: WalletRpc, address: string): Promise<string> {
  // Dogecoin 1.14 has no getaddressinfo; Core took the wallet's part out of validateaddress in 0.18, not the script.
  const info = asObject(await callNode(rpc, 'validateaddress', [address]), 'validateaddress')
  const script = asText(info.scriptPubKey, 'scriptPubKey')
  if (!/^(?:[0-9a-f]{2}){1,42}$/.test(script))
    throw new NodeError('bad', 'The node gave no script for its own address.')
  return script
}

/** An output that the wallet can spend; `script` in hex, `value` in base units. */
export interface WalletCoin {
  txid: string
  vout: number
  value: bigint
  script: string
  address: string
  confirmations: number
}

/** Outputs of the wallet with at least `depth` confirmations. @throws {NodeError} {@link RpcError} */
export async function listCoins(rpc: WalletRpc, depth: number): Promise<WalletCoin[]> {
  const coins: WalletCoin[] = []
  for (const item of asList(await callNode(rpc, 'listunspent', [depth, 9_999_999]), 'listunspent')) {
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

function asAmount(value: unknown, what: string): bigint {
  try {
    return parseAmount(asText(value, what))
  } catch (cause) {
    if (!(cause instanceof AmountError)) throw cause
    throw new NodeError('bad', `The node gave no amount for ${what}.`, { cause })
  }
}

/** An output that a transaction to be signed spends, which the node may not know yet. */
export interface SpentOutput {
  txid: string
  vout: number
  script: string
  value: bigint
}

/**
 * Has the wallet sign transactions, `hex` each; an outcome for each: the signed hex, or why it can't be signed.
 * @throws {NodeError} {@link RpcError} when the wallet is locked or missing.
 */
export async function signTransactions(
  rpc: WalletRpc,
  blockchain: Blockchain,
  transactions: readonly { hex: string; spent: readonly SpentOutput[] }[],
): Promise<string[]> {
  const method = CHAINS[blockchain].segwit ? 'signrawtransactionwithwallet' : 'signrawtransaction'
  const outcomes = await rpc(
    transactions.map(({ hex, spent }) => {
      // As text: a JSON number is a double to whoever reads it on the way. AmountFromValue takes both.
      const previous = spent.map(({ txid, vout, script, value }) => {
        return { txid, vout, scriptPubKey: script, amount: formatAmount(value) }
      })
      return { method, params: [hex, previous] }
    }),
  )
  return outcomes.map((outcome) => {
    const signed = asObject(resultOf(method, outcome), method)
    if (signed.complete !== true) throw new NodeError('bad', 'The wallet could not sign a transaction completely.')
    return asText(signed.hex, 'hex')
  })
}

/** Sends transactions in order, in one request; never repeated by the transport. @throws {NodeError} */
export function sendTransactions(rpc: WalletRpc, hexes: readonly string[]): Promise<RpcOutcome[]> {
  return rpc(hexes.map((hex) => ({ method: 'sendrawtransaction', params: [hex] })))
}

/** Keeps the wallet's own coin selection away from coins that we planned with; only a courtesy, never refused. */
export async function lockCoins(rpc: WalletRpc, coins: readonly { txid: string; vout: number }[]): Promise<void> {
  await rpc(coins.map(({ txid, vout }) => ({ method: 'lockunspent', params: [false, [{ txid, vout }]] })))
}

/** Base units per 1,000 vbytes that get a transaction mined within some six blocks. @throws {NodeError} */
export async function readFeeRate(rpc: WalletRpc, blockchain: Blockchain): Promise<bigint> {
  const facts = CHAINS[blockchain]
  const [estimate, mempool] = await rpc([
    { method: 'estimatesmartfee', params: [6] },
    { method: 'getmempoolinfo', params: [] },
  ])
  // An old or young node has no estimate: an error, no field, or -1.
  const estimated = estimate && 'result' in estimate ? feeField(estimate.result, 'feerate') : undefined
  const least = mempool && 'result' in mempool ? feeField(mempool.result, 'mempoolminfee') : undefined
  let rate = estimated ?? facts.fallbackFeeRate
  for (const floor of [least ?? 0n, facts.relayFeeRate]) if (rate < floor) rate = floor
  return rate
}

function feeField(result: unknown, name: string): bigint | undefined {
  const value = asObject(result, name)[name]
  const rate = value === undefined ? 0n : asAmount(value, name)
  return rate > 0n ? rate : undefined
}

/** Why the wallet can't take new work, for the operator; `undefined` when it can. `need` in base units. */
export async function findWalletProblem(rpc: WalletRpc, need: bigint): Promise<string | undefined> {
  const [wallet, balance] = await rpc([
    { method: 'getwalletinfo', params: [] },
    { method: 'getbalance', params: [] },
  ])
  if (wallet && 'error' in wallet) return `the node has no usable wallet: ${wallet.error.message}`
  const info = asObject(resultOf('getwalletinfo', wallet), 'getwalletinfo')
  // The field is absent on a wallet without a passphrase.
  if (info.unlocked_until !== undefined && asInteger(info.unlocked_until, 'unlocked_until') === 0) {
    return 'the wallet is locked'
  }
  if (balance && 'error' in balance) return `the node has no usable wallet: ${balance.error.message}`
  const coins = asAmount(resultOf('getbalance', balance), 'getbalance')
  if (coins < need) return `the wallet is out of coins: it has ${formatAmount(coins)} and needs ${formatAmount(need)}`
  return undefined
}

/** Money that ever came to an address of the wallet, unconfirmed included. @throws {NodeError} {@link RpcError} */
export async function readReceived(rpc: WalletRpc, address: string): Promise<bigint> {
  return asAmount(await callNode(rpc, 'getreceivedbyaddress', [address, 0]), 'getreceivedbyaddress')
}

/** Which of these outputs are unspent on the chain, the mempool left aside. */
export async function readUnspent(
  rpc: WalletRpc,
  outputs: readonly { txid: string; vout: number }[],
): Promise<boolean[]> {
  const outcomes = await rpc(outputs.map(({ txid, vout }) => ({ method: 'gettxout', params: [txid, vout, false] })))
  return outcomes.map((outcome) => resultOf('gettxout', outcome) !== null)
}
