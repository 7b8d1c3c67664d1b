import { toHex } from '../../protocol/bytes.ts'
import { encodeBlock, encodeHeader } from '../block.ts'
import type { Block } from '../chain.ts'
import { outpoint } from '../ledger-transaction.ts'
import type { Node } from '../node.ts'
import { describeAuxPow } from './describe-aux-pow.ts'
import { describeScript, describeTransaction } from './describe-transaction.ts'
import type { Json } from './exact-json.ts'
import { blockSizes, chainWork, describeHeader, findBlock, REGTEST_TARGET } from './find-block.ts'
import { type Methods, method } from './method.ts'
import { RPC, RpcError } from './rpc-error.ts'

function describeBlock(node: Node, block: Block, verbosity: number): Json {
  const { size, strippedsize, weight } = blockSizes(block)
  const { previousblockhash, nextblockhash, ...header } = describeHeader(node, block)
  let spent = 0
  const tx = block.transactions.map((transaction) => {
    if (verbosity < 2) return transaction.txid
    const described = { ...describeTransaction(transaction, node.settings), hex: toHex(transaction.raw) }
    if (transaction.coinbase || node.settings.dialect !== 'core') return described
    const coins = block.spent.slice(spent, spent + transaction.inputs.length)
    spent += transaction.inputs.length
    const paid = transaction.outputs.reduce((sum, { value }) => sum + value, 0n)
    const fee = coins.reduce((sum, { value }) => sum + value, 0n) - paid
    return { ...described, fee: coins.length === transaction.inputs.length ? fee : undefined }
  })
  const auxpow = block.auxPow && describeAuxPow(block.auxPow, node.settings)
  return { ...header, strippedsize, size, weight, tx, auxpow, previousblockhash, nextblockhash }
}

function softforks(): Json {
  const active = { type: 'buried', active: true, height: 0 }
  return { bip34: active, bip66: active, bip65: active, csv: active, segwit: active }
}

/** RPC methods about the chain. */
export const blockchainMethods: Methods = {
  getblockchaininfo: method('', ({ node }) => {
    const { tip, height } = node.chain
    return {
      chain: 'regtest',
      blocks: height,
      headers: node.syncing ? height + 1000 : height,
      bestblockhash: tip.hash,
      bits: node.settings.dialect === 'core' ? '207fffff' : undefined,
      target: node.settings.dialect === 'core' ? REGTEST_TARGET : undefined,
      difficulty: 4.656542373906925e-10,
      time: tip.time,
      mediantime: node.chain.medianTime(),
      verificationprogress: node.syncing ? 0.5 : 1,
      initialblockdownload: node.syncing,
      chainwork: chainWork(height),
      size_on_disk: node.chain.confirmed.size * 250,
      pruned: false,
      softforks: node.settings.dialect === 'core' ? undefined : softforks(),
      warnings: node.settings.dialect === 'core' ? [] : '',
    }
  }),
  getblockcount: method('', ({ node }) => node.chain.height),
  getbestblockhash: method('', ({ node }) => node.chain.tip.hash),
  getdifficulty: method('', () => 4.656542373906925e-10),
  getblockhash: method('height', ({ node }, params) => {
    const block = node.chain.active[params.integer(0)]
    if (!block) throw new RpcError(RPC.INVALID_PARAMETER, 'Block height out of range')
    return block.hash
  }),
  getblockheader: method('blockhash verbose?', ({ node }, params) => {
    const hash = params.hash(0, 'hash')
    const verbose = params.boolean(1, true)
    const block = findBlock(node, hash)
    return verbose ? describeHeader(node, block) : toHex(encodeHeader(block))
  }),
  getblock: method('blockhash verbosity?', ({ node }, params) => {
    const hash = params.hash(0, 'blockhash')
    const verbosity = params.verbosity(1, 1)
    const block = findBlock(node, hash)
    if (verbosity <= 0) return encodeBlock(block, block.transactions)
    return describeBlock(node, block, verbosity)
  }),
  getchaintips: method('', ({ node }) => {
    const parents = new Set([...node.chain.blocks.values()].map(({ previous }) => previous))
    const tips = [...node.chain.blocks.values()].filter(({ hash }) => !parents.has(hash))
    if (!tips.includes(node.chain.tip)) tips.push(node.chain.tip)
    return tips
      .sort((a, b) => b.height - a.height)
      .map((block) => {
        let branchlen = 0
        for (let at: Block | undefined = block; at && !node.chain.isActive(at); at = at.parent) branchlen++
        const status = branchlen === 0 ? 'active' : node.chain.invalid.has(block) ? 'invalid' : 'valid-fork'
        return { height: block.height, hash: block.hash, branchlen, status }
      })
  }),
  gettxout: method('txid n include_mempool?', ({ node }, params) => {
    const txid = params.hash(0, 'txid')
    const coin = node.coin(outpoint(txid, params.integer(1)), { waiting: params.boolean(2, true) })
    if (!coin) return null
    return {
      bestblock: node.chain.tip.hash,
      confirmations: Math.max(0, node.chain.height - coin.height + 1),
      value: coin.value,
      scriptPubKey: describeScript(coin.script, node.settings),
      coinbase: coin.coinbase,
    }
  }),
  invalidateblock: method('blockhash', ({ node }, params) => {
    const block = findBlock(node, params.hash(0, 'blockhash'))
    if (block.height === 0) throw new RpcError(RPC.MISC, 'The genesis block cannot be invalidated')
    node.invalidate(block)
    return null
  }),
  reconsiderblock: method('blockhash', ({ node }, params) => {
    node.reconsider(findBlock(node, params.hash(0, 'blockhash')))
    return null
  }),
}
