import { encodeBlock, merkleRoot } from '../../devnet/block.ts'
import { deriveLedgerTransaction } from '../../devnet/ledger-transaction.ts'
import { mergeMine } from '../../devnet/merge-mine.ts'
import { input, transactionOf } from '../../devnet/others/write-inscription.ts'
import { toHex } from '../../protocol/bytes.ts'
import type { Transaction } from '../../protocol/transaction.ts'
import type { Route } from './api-server.ts'

/** The height of the first block of a {@link blockNode}; those below it are pruned. */
export const FIRST_HEIGHT = 100

/** A chain with merged mining as its node answers for it: blocks in order, what waits to be mined, and refusals by method. */
export interface BlockChain {
  blocks: readonly (readonly Transaction[])[]
  waiting?: readonly Transaction[]
  refusals?: Record<string, { code: number; message: string }>
}

interface Call {
  id: number
  method: string
  params: [string | number, (number | boolean)?]
}

/** A Dogecoin node with `txindex`, at the root of a server. */
export function blockNode({ blocks, waiting = [], refusals = {} }: BlockChain): Route {
  const chain = blocks.map(mine)
  const known = new Map(chain.flatMap(({ hash, all }) => all.map(({ txid, raw }) => [txid, { hash, raw }] as const)))
  const pool = new Map(
    waiting.map((one) => deriveLedgerTransaction(one)).map(({ txid, raw }) => [txid, { hash: undefined, raw }]),
  )
  const answers: Record<string, (param: string | number, verbose?: number | boolean) => unknown> = {
    getrawtransaction(txid, verbose) {
      const found = known.get(String(txid)) ?? pool.get(String(txid))
      if (!found || verbose === 0) return found && toHex(found.raw)
      return { hex: toHex(found.raw), ...(found.hash !== undefined && { blockhash: found.hash }) }
    },
    getblockheader: (hash) => ({ height: FIRST_HEIGHT + chain.findIndex((block) => block.hash === hash) }),
    getblockhash: (height) => chain[Number(height) - FIRST_HEIGHT]?.hash,
    getblock: (hash) => chain.find((block) => block.hash === hash)?.hex,
  }
  const absent: BlockChain['refusals'] = {
    getrawtransaction: { code: -5, message: 'No such mempool or blockchain transaction.' },
    getblockhash: { code: -8, message: 'Block height out of range' },
  }
  const answer = ({ id, method, params }: Call) => {
    const refused = refusals[method]
    const result = refused ? undefined : answers[method]?.(...params)
    return { id, result: result ?? null, error: result === undefined ? (refused ?? absent[method] ?? null) : null }
  }
  return [
    'POST',
    /^\/$/,
    ({ body }) => {
      const calls: Call[] = JSON.parse(body)
      return { json: calls.map(answer) }
    },
  ]
}

function mine(transactions: readonly Transaction[], index: number) {
  const coinbase = transactionOf([
    input({ txid: '0'.repeat(64), vout: 0xffffffff }, { script: Uint8Array.of(1, index) }),
  ])
  const all = [coinbase, ...transactions].map((transaction) => deriveLedgerTransaction(transaction))
  const root = merkleRoot(all.map(({ txid }) => txid))
  const unsolved = { version: 0x00620004, previous: '0'.repeat(64), merkleRoot: root, time: 1_700_000_000 }
  const { header, hash } = mergeMine({ ...unsolved, bits: 0x207fffff, nonce: 0 }, 'sha256d', 98)
  return { hash, all, hex: encodeBlock(header, all) }
}
