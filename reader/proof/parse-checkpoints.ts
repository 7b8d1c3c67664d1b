import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import { targetOf } from './block-header.ts'
import type { Checkpoint } from './checkpoint.ts'
import { refuse } from './refuse.ts'

/** What is pinned, by chain; a chain may have nothing. */
export type Checkpoints = Partial<Record<Blockchain, Checkpoint>>

/**
 * The checkpoints of a file: `{"<chain>": {"height", "root", "bits", "time"}}`, `bits` a number.
 * @throws {ReaderError} `not_proven` for another form
 */
export function parseCheckpoints(value: unknown): Checkpoints {
  if (typeof value !== 'object' || value === null) refuse('The file has no checkpoints.')
  const fields = new Map<string, unknown>(Object.entries(value))
  const pinned = BLOCKCHAINS.flatMap((chain) => {
    const given = fields.get(chain)
    return given === undefined ? [] : [[chain, parseCheckpoint(chain, given)] as const]
  })
  return Object.fromEntries(pinned)
}

function parseCheckpoint(chain: Blockchain, value: unknown): Checkpoint {
  const { height, root, bits, time }: Record<string, unknown> = Object.assign({}, value)
  const isFormed = isCount(height) && isCount(bits) && isCount(time) && typeof root === 'string'
  if (!isFormed || (height + 1) % 256 !== 0 || !/^[0-9a-f]{64}$/.test(root)) {
    refuse(`The checkpoint of ${chain} has another form.`)
  }
  targetOf(bits)
  return { height, root, bits, time }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32
}
