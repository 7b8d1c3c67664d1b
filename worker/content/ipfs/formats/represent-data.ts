import * as dagJson from '@ipld/dag-json'
import { html } from 'hono/html'
import { CID } from 'multiformats/cid'
import { canonicalCid } from '../../../../protocol/cid.ts'
import { returnToEventLoop } from '../../../platform/flow/budget.ts'
import { AppError } from '../../../platform/http/errors.ts'
import type { Markup } from '../../../platform/http/html-document.ts'
import type { Representation } from '../../../platform/http/respond.ts'
import type { DagNode } from '../dag/dag-node.ts'
import { decodeData, isReadable } from '../dag/resolve-path.ts'
import { contentDisposition } from './content-disposition.ts'
import type { FoundContent } from './found-content.ts'
import { htmlPage } from './html-page.ts'
import { type FormatName, formatMediaType } from './response-format.ts'

type DataNode = DagNode & { kind: 'data' }
type DataFormat = DataNode['codec']

const PAGE_VERSION = '2'
/** Longer values are cut on the page; the formats beside it have all of them. */
const MAX_CHARACTERS = 200_000
/** Values that are nested deeper are not written: each level indents all that is in it. */
const MAX_DEPTH = 64

/**
 * A JSON or CBOR block unchanged, or a page about it for a browser that requests no format (Path Gateway specification,
 * response payload). Nothing is converted from one codec to another (IPIP-0524); `json` also returns `dag-json`, which is
 * JSON, and the same holds for CBOR.
 * @throws {AppError} 406 for a format that the block does not have, 500 for one that is not valid in its own codec.
 */
export async function representData(found: FoundContent, asked: FormatName | undefined): Promise<Representation> {
  const { format, resolved } = found
  const { node } = resolved
  const wanted = isDataFormat(asked) ? asked : undefined
  if (node.kind !== 'data' || (wanted && plainName(wanted) !== plainName(node.codec))) throw notConverted(node, asked)
  if (asked === undefined && format.html && node.codec.startsWith('dag-')) {
    const page = await dataPage(found, node)
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

/** The page for a DAG-JSON or DAG-CBOR node: its value, its links, and the ways to have it. */
async function dataPage({ mount, path }: FoundContent, node: DataNode): Promise<string> {
  const value = isReadable(node.cid, node.block) ? readValue(node) : undefined
  const text = value === undefined ? 'This node is too long to be shown here.' : await textOf(value)
  const formats = [node.codec, plainName(node.codec), 'raw', 'car'].map(
    (format, index) => html`${index > 0 ? ' · ' : ''}<a href="?format=${format}" rel="nofollow">${format}</a>`,
  )
  return htmlPage(
    `${mount.contentPath}${path.segments.map((segment) => `/${segment}`).join('')}`,
    html`<header>
<h1>${node.codec} node</h1>
<p><code translate="no">${String(node.cid)}</code></p>
<p>As ${formats}</p>
</header>
<main><pre>${mount.gatewayUrl === undefined ? text : linked(text, mount.gatewayUrl)}</pre></main>`,
  )
}

async function textOf(value: unknown): Promise<string> {
  if (isDeeper(value, MAX_DEPTH)) return 'This node is nested too deeply to be shown here.'
  const compact = new TextDecoder().decode(dagJson.encode(value))
  await returnToEventLoop()
  const json = JSON.stringify(JSON.parse(compact), null, 2)
  return json.length > MAX_CHARACTERS ? `${json.slice(0, MAX_CHARACTERS)}\n…` : json
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || CID.asCID(value)) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

/** The text with every DAG-JSON link (`{"/": "<cid>"}`) made one that can be followed. */
function linked(text: string, gatewayUrl: string): Markup {
  const parts = text.split(/("\/": ")([a-zA-Z0-9]{8,})(?=")/)
  const pieces = parts.map((part, index) =>
    index % 3 === 2 ? html`<a href="${gatewayUrl}/ipfs/${part}">${part}</a>` : part,
  )
  return html`${pieces}`
}
