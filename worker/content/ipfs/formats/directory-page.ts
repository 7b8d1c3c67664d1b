import { html, raw } from 'hono/html'
import { concatBytes } from '../../../../protocol/bytes.ts'
import type { DirectoryNode } from '../../../../reader/unixfs/dag.ts'
import type { DirectoryLink } from '../../../../reader/unixfs/unixfs-node.ts'
import { shareEventLoop } from '../../../platform/flow/budget.ts'
import type { Markup } from '../../../platform/http/html-document.ts'
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

/** Rows that are made before other requests have their turn: some 1 ms, as many units of a budget. */
const PORTION = 40
const PORTION_UNITS = 16
/** And no more characters of names than this. */
const PORTION_CHARACTERS = 16 * 1024

/** A longer name is cut, in characters: no address can hold it. */
const MAX_NAME = 2048

/** The most bytes of a page; rows beyond it are left out. */
const MAX_BYTES = 6 * 1024 * 1024

/** Where the rows go: they are made, and encoded, by themselves. What is put in from elsewhere is escaped and never this. */
const ROWS = '<!--rows-->'

const FORMATS = [
  ['car', 'CAR'],
  ['tar', 'TAR'],
  ['raw', 'raw block'],
] as const

/** What the host of an item answers with 404 at its root, though the directory has it. */
const KEPT_NAMES = new Set(['_headers', '_redirects', 'v0'])

/** The page that lists a directory. Sizes are of whole DAGs, as the directory has them: nothing else is read. */
export async function directoryPage(listing: Listing): Promise<Uint8Array> {
  const rows = await encodeRows(listing)
  const left = listing.more || rows.count < listing.entries.length
  const [before = '', after = ''] = (await framePage(listing, rows.count, left)).split(ROWS)
  const text = new TextEncoder()
  return concatBytes([text.encode(before), ...rows.parts, text.encode(after)])
}

/** A row for each entry, as far as the page may go, in bytes; and how many. */
async function encodeRows({ mount, segments, entries }: Listing): Promise<{ parts: Uint8Array[]; count: number }> {
  const text = new TextEncoder()
  const parts: Uint8Array[] = []
  let bytes = 0
  let count = 0
  while (count < entries.length) {
    await shareEventLoop(PORTION_UNITS)
    const portion = nextEntries(entries, count)
    const rows = text.encode(portion.map((entry) => String(rowOf(mount, segments, entry))).join(''))
    bytes += rows.byteLength
    if (bytes > MAX_BYTES) break
    parts.push(rows)
    count += portion.length
  }
  return { parts, count }
}

/** The entries of the next portion: one at the least. */
function nextEntries(entries: readonly DirectoryLink[], start: number): readonly DirectoryLink[] {
  let end = start
  for (let characters = 0; end < Math.min(entries.length, start + PORTION); end++) {
    characters += Math.min(MAX_NAME, entries[end]?.name.length ?? 0)
    if (end > start && characters > PORTION_CHARACTERS) break
  }
  return entries.slice(start, end)
}

function rowOf(mount: Mount, segments: readonly string[], entry: DirectoryLink): Markup {
  const { name } = entry
  const shown = name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME)}…`
  const link = hasPath(mount, segments, name)
    ? html`<a href="${pathOf(mount, segments)}${encodeSegment(name)}">${name}</a>`
    : shown
  return html`<tr>
<td class="name">${link}</td>
<td class="hash">${hashLink(mount, entry)}</td>
<td class="size" title="${entry.size === undefined ? '' : `${entry.size} bytes`}">${formatSize(entry.size)}</td>
</tr>
`
}

/** The path of a directory, as its links begin with it. */
function pathOf({ linkPrefix }: Mount, segments: readonly string[]): string {
  return `${linkPrefix}${formatSubPath({ segments, slash: true })}`
}

/** Whether a path leads to an entry: none to a name that is a dot segment or has a slash, or that its host keeps. */
function hasPath({ itemHost }: Mount, segments: readonly string[], name: string): boolean {
  if (name.length > MAX_NAME || /^\.{0,2}$|\//.test(name)) return false
  return !(itemHost && segments.length === 0 && KEPT_NAMES.has(name))
}

/** The page around {@link ROWS}, which are so many, and more where `left`. */
function framePage({ mount, segments, node, entries }: Listing, shown: number, left: boolean): Promise<string> {
  const here = pathOf(mount, segments)
  const total = entries.reduce((sum, entry) => sum + (entry.size ?? 0), node.block.byteLength)
  const parent =
    segments.length > 0
      ? html`<tr><td class="name"><a href="${here}..">..</a></td><td class="hash"></td><td class="size"></td></tr>`
      : ''
  const count = `${shown}${left ? '+' : ''} ${shown === 1 ? 'entry' : 'entries'}`
  const formats = FORMATS.map(
    ([format, label]) => html` · <a href="${here}?format=${format}" rel="nofollow">${label}</a>`,
  )
  const rest = left
    ? html`<p>This directory has more entries than one page shows. <a href="${here}?format=car&dag-scope=entity">The
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
${raw(ROWS)}</tbody>
</table>
${rest}</main>`,
  )
}

/** The content path with a link for each of its parts; on a DNSLink site and the host of an item they stay there. */
function breadcrumbs({ contentPath, gatewayUrl, namespace, itemHost }: Mount, segments: readonly string[]): Markup {
  const name = contentPath.split('/')[2] ?? ''
  const own = itemHost ? '' : `//${name}`
  const stays = itemHost || gatewayUrl === undefined
  const base = stays ? own : `${gatewayUrl}${contentPath}`
  const links = segments.map((segment, index) => {
    const path = formatSubPath({ segments: segments.slice(0, index + 1), slash: false })
    return html`/<a href="${base}${path}">${segment}</a>`
  })
  const root = stays ? `${base}/` : base
  return html`<span translate="no">/${namespace}/<a href="${root}">${name}</a>${links}</span>`
}

function hashLink({ gatewayUrl }: Mount, { cid, name }: DirectoryLink): Markup {
  const text = String(cid)
  const short = `${text.slice(0, 4)}…${text.slice(-4)}`
  if (gatewayUrl === undefined) {
    return html`<a class="ipfs-hash" translate="no" href="https://cid.ipfs.tech/#${text}" target="_blank" rel="noreferrer noopener">${short}</a>`
  }
  // Encoded twice, as every other gateway's listing has it.
  const filename = name.length <= MAX_NAME ? `?filename=${encodeURIComponent(encodeURIComponent(name))}` : ''
  return html`<a class="ipfs-hash" translate="no" href="${gatewayUrl}/ipfs/${text}${filename}">${short}</a>`
}

function formatSize(bytes: number | undefined): string {
  if (bytes === undefined) return ''
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const step = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const value = bytes / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}
