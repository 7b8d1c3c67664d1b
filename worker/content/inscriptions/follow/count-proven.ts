import type { Blockchain } from '../../../../protocol/chains.ts'
import { inGroups } from '../../../../reader/in-groups.ts'
import type { Checkpoint } from '../../../../reader/proof/checkpoint.ts'
import { type Required, satisfies } from '../../../../reader/proof/required-state.ts'
import { verifyProof } from '../../../../reader/proof/verify-proof.ts'
import { ReaderError } from '../../../../reader/reader-error.ts'
import type { Env } from '../../../platform/bindings.ts'
import { now } from '../../../platform/clock.ts'
import { readConfig } from '../../../platform/config/read-config.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { blockLists } from '../../proof/block-lists.ts'
import { buildProof } from '../../proof/build-proof.ts'
import { findInChain } from '../../proof/find-in-chain.ts'
import { MAX_BLOCKS, readMined } from '../../proof/read-mined.ts'
import { rememberedWork } from '../../proof/remembered-work.ts'

/** What makes a later transaction of a doginal a part of it: its pushes are not signed, so anybody can forge it. */
const REQUIRED: Required & { depth: number } = { state: 'worked', depth: 6 }

/**
 * How many of the transactions are `buried` or `worked 6`, from the first on.
 * @throws {AppError} 502, 503, 504
 */
export async function countProven(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  { blockchain, txids, checkpoint }: { blockchain: Blockchain; txids: readonly string[]; checkpoint: Checkpoint },
): Promise<number> {
  const proven = new Set<string>()
  for (const group of inGroups([...txids], MAX_BLOCKS)) {
    for (const txid of await proveGroup(env, ctx, { blockchain, group, checkpoint })) proven.add(txid)
    if (!group.every((txid) => proven.has(txid))) break
  }
  const unproven = txids.findIndex((txid) => !proven.has(txid))
  return unproven < 0 ? txids.length : unproven
}

async function proveGroup(
  env: Env,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  { blockchain, group, checkpoint }: { blockchain: Blockchain; group: readonly string[]; checkpoint: Checkpoint },
): Promise<string[]> {
  const { rpc } = readConfig(env).chains[blockchain]
  const lists = blockLists(env, blockchain, ctx)
  const read = await readMined(rpc, group, { depth: REQUIRED.depth, pinned: checkpoint.height, lists })
  if (read.outcome !== 'found') return []
  const inChain = await findInChain(env.BUCKET, blockchain, read.blocks, checkpoint.height).catch((error: unknown) => {
    // Its tiles are not stored, or the node is on another chain: nothing of it is buried.
    if (error instanceof AppError) return undefined
    throw error
  })
  const rules = { work: rememberedWork(blockchain), checkpoint, now: Math.floor(now() / 1000) }
  return buildProof(read.blocks, inChain).blocks.flatMap((block) => {
    const txids = block.transactions.map(({ txid }) => txid)
    const own = new Map(txids.flatMap((txid) => entryOf(read.transactions, txid)))
    try {
      // Each block by itself: one that proves nothing says nothing of the others.
      const found = verifyProof({ blocks: [block] }, own, rules)
      return txids.filter((txid) => {
        const proven = found.get(txid)
        return proven && satisfies(proven, REQUIRED)
      })
    } catch (error) {
      if (error instanceof ReaderError) return []
      throw error
    }
  })
}

function entryOf<Value>(map: ReadonlyMap<string, Value>, key: string): [string, Value][] {
  const value = map.get(key)
  return value === undefined ? [] : [[key, value]]
}
