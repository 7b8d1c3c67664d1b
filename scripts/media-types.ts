import db from 'mime-db/db.json' with { type: 'json' }

/** The generated table of endings of file names, and its source. */
export const MEDIA_TYPES_FILE = new URL('../reader/generated/media-types.ts', import.meta.url)

/** Where `mime-db` has several types for an ending: what is registered and most general comes first. */
const SOURCES: readonly (string | undefined)[] = ['iana', undefined, 'apache', 'nginx']

/** What the rules below would choose otherwise: what browsers know, and what the bytes of such files are recognised as. */
const CHOSEN = new Map([
  ['3gpp', 'video/3gpp'],
  ['flac', 'audio/flac'],
  ['ico', 'image/x-icon'],
])

/** The module with one media type for each ending that `mime-db` knows: a line for each type, its endings behind it. */
export function mediaTypesModule(): string {
  const types = new Map<string, string>()
  for (const type of Object.keys(db).sort(compareTypes)) {
    for (const ending of entryOf(type).extensions ?? []) if (!types.has(ending)) types.set(ending, type)
  }
  for (const [ending, type] of CHOSEN) types.set(ending, type)
  const endings = new Map<string, string[]>()
  for (const [ending, type] of types) endings.set(type, [...(endings.get(type) ?? []), ending])
  const lines = [...endings].map(([type, all]) => `${type} ${all.sort().join(' ')}\n`).sort()
  return `/** Media types and the endings of their files, from \`mime-db\`: \`npm run docs:types\` writes them. */
export const MEDIA_TYPES = \`${lines.join('')}\`
`
}

function compareTypes(one: string, other: string): number {
  const differences = [
    rankOf(one) - rankOf(other),
    SOURCES.indexOf(entryOf(one).source) - SOURCES.indexOf(entryOf(other).source),
    Number(one.startsWith('application/')) - Number(other.startsWith('application/')),
    one.length - other.length,
  ]
  return differences.find((difference) => difference !== 0) ?? (one < other ? -1 : 1)
}

/** Registered types first, then those of a vendor, then bytes of no known type, then unregistered ones. */
function rankOf(type: string): number {
  if (type === 'application/octet-stream') return 2
  if (/^x-|\/x-/.test(type)) return 3
  return /\/(?:vnd|prs)\./.test(type) ? 1 : 0
}

function entryOf(type: string): { source?: string | undefined; extensions?: readonly string[] | undefined } {
  const entries: Record<string, { source?: string; extensions?: readonly string[]; compressible?: boolean }> = db
  return entries[type] ?? {}
}
