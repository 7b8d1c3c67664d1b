import { html, raw } from 'hono/html'
import type { DirectoryLink } from '../../../protocol/unixfs-node.ts'
import { returnToEventLoop } from '../../flow/budget.ts'
import type { Markup } from '../../http/html-document.ts'
import type { DirectoryNode } from '../dag/list-directory.ts'
import { encodeSegment, formatSubPath } from '../names/content-path.ts'
import type { Mount } from '../names/mount.ts'
import { htmlPage } from './html-page.ts'

/** What a listing shows. */
export interface Listing {
  mount: Mount
  segments: readonly string[]
  node: DirectoryNode
  entries: readonly DirectoryLink[]
  /** There are more entries than these. */
  more: boolean
}

/** Rows made before others have their turn: some 5 ms. */
const PORTION = 200

const FORMATS = [
  ['car', 'CAR'],
  ['tar', 'TAR'],
  ['dag-json', 'DAG-JSON'],
  ['raw', 'raw block'],
] as const

/** The page that lists a directory. Sizes are of whole DAGs, as the directory has them: nothing else is read. */
export async function directoryPage({ mount, segments, node, entries, more }: Listing): Promise<string> {
  const here = `${mount.linkPrefix}${formatSubPath({ segments, slash: true })}`
  const total = entries.reduce((sum, entry) => sum + (entry.size ?? 0), node.block.byteLength)
  const portions: string[] = []
  let rows: string[] = []
  for (const [index, entry] of entries.entries()) {
    if (index % PORTION === PORTION - 1) {
      portions.push(rows.join(''))
      rows = []
      await returnToEventLoop()
    }
    const row = html`<tr>
<td class="name"><a href="${here}${encodeSegment(entry.name)}">${entry.name}</a></td>
<td class="hash">${hashLink(mount, entry)}</td>
<td class="size" title="${entry.size === undefined ? '' : `${entry.size} bytes`}">${formatSize(entry.size)}</td>
</tr>
`
    rows.push(String(row))
  }
  const parent =
    segments.length > 0
      ? html`<tr><td class="name"><a href="${here}..">..</a></td><td class="hash"></td><td class="size"></td></tr>`
      : ''
  const count = `${entries.length}${more ? '+' : ''} ${entries.length === 1 ? 'entry' : 'entries'}`
  const formats = FORMATS.map(([format, label]) => html` · <a href="?format=${format}" rel="nofollow">${label}</a>`)
  const rest = more
    ? html`<p>This directory has more entries than one page shows. <a href="?format=car&dag-scope=entity">The
directory as a CAR</a> has them all.</p>`
    : ''
  return htmlPage(
    `${mount.contentPath}${segments.map((segment) => `/${segment}`).join('')}/`,
    html`<header>
<h1>Index of ${breadcrumbs(mount, segments)}</h1>
<p>${count}, ${formatSize(total)}${formats}</p>
<p><code translate="no">${String(node.cid)}</code></p>
</header>
<main>
<table>
<thead class="visually-hidden"><tr><th scope="col">Name</th><th scope="col">CID</th><th scope="col">Size</th></tr></thead>
<tbody>
${parent}
${raw([...portions, ...rows].join(''))}</tbody>
</table>
${rest}</main>`,
  )
}

/** The content path with a link for each of its parts; on a DNSLink site they stay on the site. */
function breadcrumbs({ contentPath, gatewayUrl, namespace }: Mount, segments: readonly string[]): Markup {
  const name = contentPath.split('/')[2] ?? ''
  const base = gatewayUrl === undefined ? `//${name}` : `${gatewayUrl}${contentPath}`
  const links = segments.map((segment, index) => {
    const path = formatSubPath({ segments: segments.slice(0, index + 1), slash: false })
    return html`/<a href="${base}${path}">${segment}</a>`
  })
  const root = gatewayUrl === undefined ? `${base}/` : base
  return html`<span translate="no">/${namespace}/<a href="${root}">${name}</a>${links}</span>`
}

function hashLink({ gatewayUrl }: Mount, { cid, name }: DirectoryLink): Markup {
  const text = String(cid)
  const short = `${text.slice(0, 4)}…${text.slice(-4)}`
  if (gatewayUrl === undefined) {
    return html`<a class="ipfs-hash" translate="no" href="https://cid.ipfs.tech/#${text}" target="_blank" rel="noreferrer noopener">${short}</a>`
  }
  // Encoded twice, as every other gateway's listing has it.
  const filename = encodeURIComponent(encodeURIComponent(name))
  return html`<a class="ipfs-hash" translate="no" href="${gatewayUrl}/ipfs/${text}?filename=${filename}">${short}</a>`
}

function formatSize(bytes: number | undefined): string {
  if (bytes === undefined) return ''
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const step = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const value = bytes / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}
