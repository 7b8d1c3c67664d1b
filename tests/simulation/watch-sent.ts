import { fromHex } from '../../protocol/bytes.ts'
import { decodeTransaction, encodeTransaction, transactionId } from '../../protocol/transaction.ts'
import type { RpcCall } from '../../worker/chain/rpc/rpc-transport.ts'
import { isRestoredSince } from './watch-database.ts'
import type { World } from './world.ts'

/** What a node is given counts as tried: it may be mined, whatever becomes of the answer. */
export function checkTried(world: World, { method, params }: RpcCall): void {
  if (method !== 'sendrawtransaction') return
  const txid = txidOf(String(params[0]))
  const [row] = world.d1.rows('SELECT attempts FROM transactions WHERE txid = ?', txid)
  // The record in R2 outlives a restore meanwhile.
  if (row?.attempts === 0 && !isRestoredSince(world))
    world.problems.push(`${txid} was sent and does not count as tried`)
}

/** Notes what the service had the node take: one transaction, or a package of them. */
export function noteTaken(world: World, { method, params }: RpcCall, result: unknown): void {
  if (method === 'sendrawtransaction') noteSent(world, String(params[0]))
  const isPackage = method === 'submitpackage' && typeof result === 'object' && result !== null
  if (!isPackage || !('package_msg' in result) || result.package_msg !== 'success') return
  world.did('a parent and its bump taken as one package')
  for (const hex of Array.isArray(params[0]) ? params[0] : []) noteSent(world, String(hex))
}

function noteSent(world: World, hex: string): void {
  const txid = txidOf(hex)
  world.sent.add(txid)
  // Of another copy of the wallet, and sent again for what stands on it: its own transactions spend what the service's did.
  if (world.sweeps.has(txid)) return
  for (const input of decodeTransaction(fromHex(hex) ?? new Uint8Array(0)).inputs) {
    const point = `${input.txid}:${input.vout}`
    const other = world.spenders.get(point)
    if (other !== undefined && other !== txid && !isGivenUp(world, other))
      world.problems.push(`${txid} and ${other} both spend ${point}`)
    world.spenders.set(point, txid)
  }
}

/**
 * Whether the service has another transaction take this one's place: a dearer bump, or what is made anew; or whether it is
 * one of the wallet's own that was sent again and that no node has.
 */
function isGivenUp(world: World, txid: string): boolean {
  if (world.lostTransactions.has(txid)) return true
  const [own] = world.d1.rows('SELECT state FROM transactions WHERE txid = ?', txid)
  const { mempool, chain } = world.node
  return own ? own.state === 'dead' : !mempool.entries.has(txid) && !chain.confirmed.has(txid)
}

function txidOf(hex: string): string {
  const transaction = decodeTransaction(fromHex(hex) ?? new Uint8Array(0))
  return transactionId(encodeTransaction(transaction, { witness: false }))
}
