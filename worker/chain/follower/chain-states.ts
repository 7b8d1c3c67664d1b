import type { Blockchain } from '../../../protocol/chains.ts'
import { type Row, rowReader } from '../../platform/d1/row-reader.ts'

/** The state of a chain's agent; times in milliseconds. */
export interface ChainState {
  /** Hash of the node's block 0, the first time it was seen. */
  genesis?: string | undefined
  steppedAt?: number | undefined
  tipAt?: number | undefined
  /** The last block of the last recorded step. */
  tipHash?: string | undefined
  /** Why steps fail now. */
  problem?: string | undefined
  problemSince?: number | undefined
}

const toState = rowReader<ChainState>({})

const MAX_PROBLEM_CHARACTERS = 300

/** How often successful steps are recorded, in milliseconds: each time is a write to D1. */
const NOTED_EVERY = 10_000

/** The state of a chain's agent; empty before its first step. */
export async function selectChainState(db: D1Database, blockchain: Blockchain): Promise<ChainState> {
  const row = await db
    .prepare(
      'SELECT genesis, stepped_at, tip_at, tip_hash, problem, problem_since FROM chain_states WHERE blockchain = ?',
    )
    .bind(blockchain)
    .first<Row<ChainState>>()
  return row ? toState(row) : {}
}

/** Stores the hash of block 0, unless one is stored already. Returns the one that is. */
export async function upsertGenesis(db: D1Database, blockchain: Blockchain, genesis: string): Promise<string> {
  const row = await db
    .prepare(
      `INSERT INTO chain_states (blockchain, genesis) VALUES (?1, ?2)
       ON CONFLICT (blockchain) DO UPDATE SET genesis = IFNULL(genesis, ?2) RETURNING genesis`,
    )
    .bind(blockchain, genesis)
    .first<{ genesis: string }>()
  return row?.genesis ?? genesis
}

/** Records that a step succeeded up to this block; nothing is written if the same was recorded a moment ago. */
export async function upsertStep(
  db: D1Database,
  blockchain: Blockchain,
  tipHash: string | undefined,
  now: number,
): Promise<void> {
  await db
    .prepare(
      `INSERT INTO chain_states (blockchain, stepped_at, tip_hash, tip_at) VALUES (?1, ?2, ?3, ?2)
       ON CONFLICT (blockchain) DO UPDATE SET stepped_at = ?2, problem = NULL, problem_since = NULL,
         tip_at = IIF(tip_hash IS ?3 OR ?3 IS NULL, tip_at, ?2), tip_hash = IFNULL(?3, tip_hash)
       WHERE stepped_at IS NULL OR stepped_at <= ?2 - ${NOTED_EVERY} OR problem IS NOT NULL
         OR (?3 IS NOT NULL AND tip_hash IS NOT ?3)`,
    )
    .bind(blockchain, now, tipHash ?? null)
    .run()
}

/** Records why a step failed, or decided nothing. Returns whether the one before had no problem. */
export async function upsertProblem(
  db: D1Database,
  blockchain: Blockchain,
  problem: string,
  now: number,
): Promise<boolean> {
  const noted = await db
    .prepare(
      `INSERT INTO chain_states (blockchain, problem, problem_since) VALUES (?1, ?2, ?3)
       ON CONFLICT (blockchain) DO UPDATE SET problem = ?2, problem_since = IFNULL(problem_since, ?3)
       WHERE problem IS NOT ?2 RETURNING problem_since AS since`,
    )
    .bind(blockchain, problem.slice(0, MAX_PROBLEM_CHARACTERS), now)
    .first<{ since: number }>()
  return noted?.since === now
}
