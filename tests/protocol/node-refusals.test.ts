import { expect, it } from 'vitest'
import { meaningOf, type RefusalMeaning } from '../../protocol/node-refusals.ts'

const LATER = '. Use gettransaction for wallet transactions.'

const SENTENCES: [method: string, code: number, message: string, means: RefusalMeaning][] = [
  ['getrawtransaction', -5, `No such mempool or blockchain transaction${LATER}`, 'absent'],
  [
    'getrawtransaction',
    -5,
    'The genesis block coinbase is not considered an ordinary transaction and cannot be retrieved',
    'absent',
  ],
  [
    'getrawtransaction',
    -5,
    `No such mempool transaction. Blockchain transactions are still in the process of being indexed${LATER}`,
    'indexing',
  ],
  [
    'getrawtransaction',
    -5,
    `No such mempool transaction. Use -txindex to enable blockchain transaction queries${LATER}`,
    'no_index',
  ],
  [
    'getrawtransaction',
    -5,
    `No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries${LATER}`,
    'no_index',
  ],
  // Core before 0.14 says the same with and without an index.
  ['getrawtransaction', -5, 'No information available about transaction', 'other'],
  ['getrawtransaction', -5, '', 'other'],
  ['getrawtransaction', -8, "parameter 1 must be of length 64 (not 3, for 'abc')", 'other'],
  ['getrawtransaction', -1, 'Block not available', 'other'],
  ['gettransaction', -5, 'Invalid or non-wallet transaction id', 'absent'],
  ['getmempoolentry', -5, 'Transaction not in mempool', 'absent'],
  ['getblockhash', -8, 'Block height out of range', 'absent'],
  ['getblockheader', -8, 'blockhash must be hexadecimal string', 'other'],
  ['getblock', -1, 'Block not available (pruned data)', 'no_block_data'],
  ['getblock', -1, 'Block not found on disk', 'no_block_data'],
  ['getblock', -32603, "Can't read block from disk", 'no_block_data'],
  ['getblock', -1, 'getblock "blockhash" ( verbosity )', 'other'],
  ['getindexinfo', -32601, 'Method not found', 'no_method'],
  ['getwalletinfo', -32601, 'Method not found (wallet method is disabled because no wallet is loaded)', 'no_method'],
  ['getrawtransaction', -28, 'Loading block index…', 'starting'],
  ['getbalance', -28, 'Rescanning...', 'starting'],
]

it.each(SENTENCES)('%s refused with %i "%s" is understood as %s', (method, code, message, means) => {
  expect(meaningOf(method, { code, message })).toBe(means)
})
