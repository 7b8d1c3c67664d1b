import { parseContentName, writeContentName } from '../../protocol/inscriptions/content-name.ts'
import { NODE_SILENCE } from '../read/call-node.ts'
import { chainNode } from '../read/chain-node.ts'
import { findDoginal } from '../read/find-doginal.ts'
import { nodeBlocks } from '../read/node-blocks.ts'
import { readName } from '../read/read-name.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { fetch, signal, output, keep } = context
  const txid = await firstTransaction(context)
  const node = await chainNode(context)
  if (!node) {
    throw usageError(
      'HOOKLINE_NODE is not set, and blocks are read from a node alone.',
      'Set it to the RPC of a Dogecoin node with txindex, such as http://user:password@127.0.0.1:22555.',
    )
  }
  keep('Nothing was written.')
  const blocks = nodeBlocks(node, { fetch, signal, silence: NODE_SILENCE })
  const { doginal, txids } = await findDoginal(txid, blocks, ({ doginal: { parts, missing } }) => {
    output.step({ step: 'searching', done: parts.length, total: parts.length + missing, unit: 'parts' })
  })
  const parts = doginal.parts.length
  if (txids.length === 1) output.note('All of its parts are in one transaction: its name is as it is.')
  else output.step({ step: 'searching', done: parts, total: parts, unit: 'parts' })
  output.endStep()
  const name = txids.length === 1 ? `${txid}i0` : writeContentName({ kind: 'doginal', txids: [...txids] })
  return { result: { blockchain: 'Dogecoin', name, txids: [...txids], parts }, text: [name] }
}

/** @throws {CommandError} 2 for what is no name of a doginal by its first transaction */
async function firstTransaction(context: Context): Promise<string> {
  const given = await readName(context, context.line.word(0))
  const name = given.kind === 'named' ? parseContentName(given.name) : undefined
  if (name?.kind === 'doginal') throw usageError('This name has several transactions: give the first of them alone.')
  if (name?.kind !== 'inscription') throw usageError('Name a doginal by its first transaction: <txid>i0.')
  if (name.id.index !== 0) throw usageError('A doginal has the index 0.')
  return name.id.txid
}
