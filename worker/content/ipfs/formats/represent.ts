import type { Representation } from '../../../platform/http/respond.ts'
import { contentDisposition } from './content-disposition.ts'
import type { FoundContent } from './found-content.ts'
import { representDirectory } from './represent-directory.ts'
import { representFile } from './represent-file.ts'
import { formatMediaType } from './response-format.ts'

/**
 * The representation of a found path in the requested format; a redirect is a finished response, and a folder that its
 * host does not list is `undefined`. Rare formats are loaded by the first request for them.
 */
export async function represent(found: FoundContent): Promise<Representation | Response | undefined> {
  const { node } = found.resolved
  switch (found.format.name) {
    case 'raw':
      return representBlock(found)
    case 'car':
      return (await import('./represent-car.ts')).representCar(found)
    case 'tar':
      return (await import('./represent-tar.ts')).representTar(found)
    case 'dag-json':
    case 'dag-cbor':
      return (await import('./represent-data.ts')).representData(found, found.format.name)
  }
  switch (node.kind) {
    case 'data':
      return (await import('./represent-data.ts')).representData(found, found.format.name)
    case 'opaque':
      throw node.problem
    case 'file':
    case 'symlink':
      return representFile(found, node)
    case 'directory':
    case 'shard':
      return representDirectory(found, node)
  }
}

/** The last block of a path as it is (Trustless Gateway specification, block responses). */
function representBlock({ url, resolved }: FoundContent): Representation {
  const { cid, block } = resolved.node
  const filename = url.searchParams.get('filename') ?? `${cid}.bin`
  return {
    status: 200,
    etag: `"${cid}.raw"`,
    headers: new Headers({
      'Content-Type': formatMediaType('raw'),
      'Content-Disposition': contentDisposition('attachment', filename),
    }),
    body: block,
  }
}
