import * as dagJson from '@ipld/dag-json'
import { html } from 'hono/html'
import { CID } from 'multiformats/cid'
import { returnToEventLoop } from '../../../platform/flow/budget.ts'
import type { Markup } from '../../../platform/http/html-document.ts'
import type { Mount } from '../names/mount.ts'
import { htmlPage } from './html-page.ts'

/** Longer values are cut on the page; the formats beside it have all of them. */
const MAX_CHARACTERS = 200_000
/** Values that are nested deeper are not written: each level indents all that is in it. */
const MAX_DEPTH = 64

export interface DataNode {
  mount: Mount
  segments: readonly string[]
  cid: CID
  codec: string
  /** `undefined` for one that is too long to be decoded. */
  value: unknown
}

/** The page for a DAG-JSON or DAG-CBOR node: its value, its links, and the ways to have it. */
export async function dataPage({ mount, segments, cid, codec, value }: DataNode): Promise<string> {
  const text = value === undefined ? 'This node is too long to be shown here.' : await textOf(value)
  const formats = ['dag-json', 'dag-cbor', 'json', 'cbor', 'raw', 'car'].map(
    (format, index) => html`${index > 0 ? ' · ' : ''}<a href="?format=${format}" rel="nofollow">${format}</a>`,
  )
  return htmlPage(
    `${mount.contentPath}${segments.map((segment) => `/${segment}`).join('')}`,
    html`<header>
<h1>${codec} node</h1>
<p><code translate="no">${String(cid)}</code></p>
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
