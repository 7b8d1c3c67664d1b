import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import { AppError } from '../../http/errors.ts'
import type { Representation } from '../../http/respond.ts'
import type { DagNode } from '../dag/dag-node.ts'
import { decodeData } from '../dag/resolve-path.ts'
import { contentDisposition } from './content-disposition.ts'
import { dataPage } from './data-page.ts'
import type { FoundContent } from './found-content.ts'
import { type FormatName, formatMediaType } from './response-format.ts'

type DataFormat = 'json' | 'cbor' | 'dag-json' | 'dag-cbor'

const PAGE_VERSION = '1'

/**
 * A node of the IPLD data model as JSON or CBOR, or, for a browser that names no format, a page about it (Path
 * Gateway specification, response payload). A block already in the format goes out as it is.
 * @throws {AppError} 500 for a block that is not valid in the codec it claims.
 */
export async function representData(found: FoundContent, asked: FormatName | undefined): Promise<Representation> {
  const { format, resolved, mount, path } = found
  const { node } = resolved
  const own: DataFormat = node.kind === 'data' ? node.codec : 'dag-json'
  if (asked === undefined && format.html && own.startsWith('dag-')) {
    const page = await dataPage({ mount, segments: path.segments, cid: node.cid, codec: own, value: dataOf(node) })
    return {
      status: 200,
      etag: `"DagIndex-${PAGE_VERSION}_CID-${node.cid}"`,
      // Made here, not named by the CID: without Cache-Control, as the specification has it.
      headers: new Headers({ 'Content-Type': 'text/html', 'Cache-Control': '' }),
      body: new TextEncoder().encode(page),
    }
  }
  const wanted = isDataFormat(asked) ? asked : own
  const extension = wanted.replace('dag-', '')
  const query = found.url.searchParams
  const kind = extension === 'json' && query.get('download') !== 'true' ? 'inline' : 'attachment'
  return {
    status: 200,
    etag: `"${node.cid}.${wanted}"`,
    headers: new Headers({
      'Content-Type': formatMediaType(wanted),
      'Content-Disposition': contentDisposition(kind, query.get('filename') ?? `${node.cid}.${extension}`),
    }),
    body: encodeAs(node, wanted),
  }
}

function isDataFormat(name: FormatName | undefined): name is DataFormat {
  return name === 'json' || name === 'cbor' || name === 'dag-json' || name === 'dag-cbor'
}

function encodeAs(node: DagNode, wanted: DataFormat): Uint8Array {
  if (node.kind === 'data') {
    if (node.codec === wanted) return wanted.startsWith('dag-') ? checked(node) : node.block
    // `json` is `dag-json` under a name that more programs know; so with CBOR.
    if (`dag-${wanted}` === node.codec) return checked(node)
  }
  const value = dataOf(node)
  return wanted.endsWith('json') ? dagJson.encode(value) : dagCbor.encode(value)
}

function checked(node: DagNode & { kind: 'data' }): Uint8Array {
  dataOf(node)
  return node.block
}

function dataOf(node: DagNode): unknown {
  try {
    if (node.kind === 'data') return decodeData(node)
    return node.cid.code === dagPb.code ? dagPb.decode(node.block) : node.block
  } catch (cause) {
    throw new AppError(500, 'invalid_data', `The block ${node.cid} is not valid in its own codec.`, { cause })
  }
}
