import { canonicalCid } from '../../../../protocol/cid.ts'
import { AppError } from '../../../platform/http/errors.ts'
import type { Representation } from '../../../platform/http/respond.ts'
import type { DagNode } from '../dag/dag-node.ts'
import { decodeData, isReadable } from '../dag/resolve-path.ts'
import { contentDisposition } from './content-disposition.ts'
import { dataPage } from './data-page.ts'
import type { FoundContent } from './found-content.ts'
import { type FormatName, formatMediaType } from './response-format.ts'

type DataNode = DagNode & { kind: 'data' }
type DataFormat = DataNode['codec']

const PAGE_VERSION = '1'

/**
 * A JSON or CBOR block unchanged, or a page about it for a browser that requests no format (Path Gateway specification,
 * response payload). Nothing is converted from one codec to another (IPIP-0524); `json` also returns `dag-json`, which is
 * JSON, and the same holds for CBOR.
 * @throws {AppError} 406 for a format that the block does not have, 500 for one that is not valid in its own codec.
 */
export async function representData(found: FoundContent, asked: FormatName | undefined): Promise<Representation> {
  const { format, resolved, mount, path } = found
  const { node } = resolved
  const wanted = isDataFormat(asked) ? asked : undefined
  if (node.kind !== 'data' || (wanted && plainName(wanted) !== plainName(node.codec))) throw notConverted(node, asked)
  if (asked === undefined && format.html && node.codec.startsWith('dag-')) {
    const page = await dataPage({
      mount,
      segments: path.segments,
      cid: node.cid,
      codec: node.codec,
      value: isReadable(node.cid, node.block) ? readValue(node) : undefined,
    })
    return {
      status: 200,
      etag: `"DagIndex-${PAGE_VERSION}_CID-${node.cid}"`,
      // Made here, not named by the CID: without Cache-Control, as the specification has it.
      headers: new Headers({ 'Content-Type': 'text/html', 'Cache-Control': '' }),
      body: new TextEncoder().encode(page),
    }
  }
  const sent = wanted ?? node.codec
  const checked = sent.startsWith('dag-') || node.codec.startsWith('dag-')
  if (checked && isReadable(node.cid, node.block)) readValue(node)
  const extension = plainName(sent)
  const query = found.url.searchParams
  const kind = extension === 'json' && query.get('download') !== 'true' ? 'inline' : 'attachment'
  return {
    status: 200,
    etag: `"${node.cid}.${sent}"`,
    headers: new Headers({
      'Content-Type': formatMediaType(sent),
      'Content-Disposition': contentDisposition(kind, query.get('filename') ?? `${node.cid}.${extension}`),
    }),
    body: node.block,
  }
}

function isDataFormat(name: FormatName | undefined): name is DataFormat {
  return name === 'json' || name === 'cbor' || name === 'dag-json' || name === 'dag-cbor'
}

function plainName(format: DataFormat): string {
  return format.replace('dag-', '')
}

function notConverted({ cid }: DagNode, asked: FormatName | undefined): AppError {
  const codec = `0x${cid.code.toString(16)}`
  const message = `The block ${canonicalCid(cid)} has the codec ${codec} and is not converted to ${asked}; ask for it with ?format=raw.`
  return new AppError(406, 'format_not_available', message)
}

/** @throws {AppError} 500. */
function readValue(node: DataNode): unknown {
  try {
    return decodeData(node)
  } catch (cause) {
    throw new AppError(500, 'invalid_data', `The block ${node.cid} is not valid in its own codec.`, { cause })
  }
}
