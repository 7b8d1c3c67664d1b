import type { ByteRange } from '../../../../contract/byte-range.ts'
import { AppError, invalidField } from '../../../platform/http/errors.ts'
import type { DagNode } from '../dag/dag-node.ts'

export interface CarParameters {
  scope: 'block' | 'entity' | 'all'
  /** The bytes of the file that are wanted; `undefined` is all of them. */
  range: ByteRange | undefined
  /** Whether a block that occurs twice is sent twice. */
  duplicates: boolean
}

/**
 * What a CAR request asks for: `dag-scope` and `entity-bytes`, and the version, order and duplicates, which the
 * query may say as well as the media type (Trustless Gateway specification, IPIP-402, IPIP-412, IPIP-523).
 * @throws {AppError} 400.
 */
export function carParameters(
  query: URLSearchParams,
  accepted: ReadonlyMap<string, string>,
  node: DagNode,
): CarParameters {
  const version = query.get('car-version') ?? accepted.get('version') ?? '1'
  if (version !== '1') throw unsupported(`version=${version}`, 'version=1')
  const order = query.get('car-order') ?? accepted.get('order') ?? 'dfs'
  if (order !== 'dfs' && order !== 'unk') throw unsupported(`order=${order}`, 'order=dfs')
  const dups = query.get('car-dups') ?? accepted.get('dups') ?? 'n'
  if (dups !== 'y' && dups !== 'n') throw unsupported(`dups=${dups}`, 'dups=y and dups=n')
  const duplicates = dups === 'y'
  const scope = query.get('dag-scope') ?? 'all'
  if (scope !== 'block' && scope !== 'entity' && scope !== 'all') {
    throw invalidField('dag-scope', 'must be one of block, entity, all.')
  }
  const bytes = query.get('entity-bytes')
  if (bytes === null) return { scope, range: undefined, duplicates }
  const range = entityRange(bytes, node)
  return range === 'outside' ? { scope: 'block', range: undefined, duplicates } : { scope: 'entity', range, duplicates }
}

function unsupported(asked: string, supported: string): AppError {
  return new AppError(400, 'unsupported_car', `A CAR with ${asked} cannot be made here, only ${supported}.`)
}

function entityRange(text: string, node: DagNode): ByteRange | 'outside' | undefined {
  const match = /^(-?\d{1,15}):(\*|-?\d{1,15})$/.exec(text)
  if (!match) throw invalidField('entity-bytes', 'must be from:to, such as 0:1023, -512:* or 0:-1.')
  const [from, to] = [Number(match[1]), match[2] === '*' ? undefined : Number(match[2])]
  if (to !== undefined && from >= 0 === to >= 0 && to < from) {
    throw invalidField('entity-bytes', 'must not end before it begins.')
  }
  // Only a file is a row of bytes; of anything else the whole entity is meant.
  if (node.kind !== 'file') return undefined
  const start = from >= 0 ? from : Math.max(0, node.size + from)
  const end = to === undefined ? node.size - 1 : Math.min(node.size - 1, to >= 0 ? to : node.size + to)
  return start <= end ? { start, end } : 'outside'
}
