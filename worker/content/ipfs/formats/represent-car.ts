import { createHash } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { walkShards } from '../../../../reader/unixfs/directory.ts'
import { walkFile } from '../../../../reader/unixfs/walk-file.ts'
import type { Representation } from '../../../platform/http/respond.ts'
import { SeenCids } from '../blocks/block-key.ts'
import { claimedSize } from '../dag/dag-node.ts'
import { type DagBlock, isIdentity, walkDag } from '../dag/walk-dag.ts'
import { type CarParameters, carParameters } from './car-parameters.ts'
import { carHeader, carSection } from './car-section.ts'
import { contentDisposition } from './content-disposition.ts'
import type { FoundContent } from './found-content.ts'

/**
 * The blocks that prove a path and those of what is at its end, as a CARv1 stream in depth-first order (Trustless
 * Gateway specification, CAR responses). Framed here: the writer of `@ipld/car` has no way to break off.
 * @throws {AppError} 400 for parameters that are invalid, 422 for what says that it is too large.
 */
export function representCar(found: FoundContent): Representation {
  const { url, format, resolved, source } = found
  const parameters = carParameters(url.searchParams, format.parameters, resolved.node)
  if (parameters.scope === 'all') source.budget.check(claimedSize(resolved.node), 0)
  const filename = url.searchParams.get('filename') ?? `${resolved.roots[0]}.car`
  const asked = JSON.stringify([found.mount.contentPath, found.path.segments, parameters])
  const digest = createHash('sha256').update(asked).digest('hex').slice(0, 16)
  return {
    status: 200,
    etag: `W/"${resolved.node.cid}.car.${digest}"`,
    headers: new Headers({
      'Content-Type': `application/vnd.ipld.car; version=1; order=dfs; dups=${parameters.duplicates ? 'y' : 'n'}`,
      'Content-Disposition': contentDisposition('attachment', filename),
    }),
    body: { kind: 'stream', read: () => writeCar(found, parameters) },
  }
}

async function* writeCar({ resolved, source }: FoundContent, parameters: CarParameters): AsyncGenerator<Uint8Array> {
  yield carHeader(resolved.roots.slice(0, 1))
  const seen = parameters.duplicates ? undefined : new SeenCids()
  for (const { cid, block } of resolved.trail) {
    if (isNew(cid, seen)) yield* carSection(cid, block)
  }
  for await (const { cid, block } of walkEntity(source, resolved.node, parameters, seen)) {
    yield* carSection(cid, block)
  }
}

/** The blocks of what is at the end of the path, once each where `seen` is there to remember them. */
async function* walkEntity(
  source: FoundContent['source'],
  node: FoundContent['resolved']['node'],
  { scope, range }: CarParameters,
  seen: SeenCids | undefined,
): AsyncGenerator<DagBlock> {
  if (scope === 'all') {
    yield* walkDag(source, node, seen)
  } else if (scope === 'entity' && node.kind === 'file') {
    const whole = { start: 0, end: node.size - 1 }
    for await (const step of walkFile(source, node, range ?? whole, seen && new SeenCids())) {
      if (isNew(step.cid, seen)) yield step
    }
  } else {
    if (isNew(node.cid, seen)) yield node
    if (scope === 'block' || node.kind !== 'shard') return
    for await (const step of walkShards(source, node, new SeenCids(node.cid))) {
      if ('kind' in step && isNew(step.cid, seen)) yield step
    }
  }
}

/** Whether a block must be sent; it is then recorded as sent. */
function isNew(cid: CID, seen: SeenCids | undefined): boolean {
  return !isIdentity(cid) && (seen?.add(cid) ?? true)
}
