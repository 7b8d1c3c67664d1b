import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What the user of this project named. */
const CHOSEN = [
  'hono',
  '@cloudflare/workers-types',
  'wrangler',
  'jose',
  'brotli-wasm',
  'idb',
  'helia',
  '@helia/unixfs',
  'miniflare',
  'vitest',
]

const [, section = ''] = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').split('## Chosen packages')
/** The places that the page names for each package. */
const told = new Map(
  [...section.matchAll(/^\| `([^`]+)`\s*\|[^|]*\|([^|]*)\|$/gm)].map(([, name = '', where = '']) => [
    name,
    [...where.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place),
  ]),
)

/** The source files at a place, a file or a folder. */
function filesAt(place: string): string[] {
  if (statSync(join(ROOT, place)).isFile()) return [place]
  return readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(place, file))
}

/** Whether a file imports more than types of a package, or is a tsconfig that names it among its `types`. */
function uses(file: string, name: string): boolean {
  const text = readFileSync(join(ROOT, file), 'utf8')
  if (file.endsWith('tsconfig.json')) return (/"types": \[([^\]]*)\]/.exec(text)?.[1] ?? '').includes(`"${name}"`)
  const named = `'${name}(?:/[^']*)?'`
  return new RegExp(`^import (?!type\\b)(?:[^'";]* from )?${named}|import\\(${named}\\)`, 'm').test(text)
}

describe('docs/architecture.md, "Chosen packages"', () => {
  it('has a row for each package that the user named, and for no other', () => {
    expect([...told.keys()].sort()).toEqual([...CHOSEN].sort())
  })

  it.each(CHOSEN)('is right about where %s is imported, or named as the types of a project', (name) => {
    const places = told.get(name) ?? []
    expect(places).not.toEqual([])
    expect(places.filter((place) => !filesAt(place).some((file) => uses(file, name)))).toEqual([])
    // What ships, builds or tests: an example or a document would not do.
    expect(places.filter((place) => /^(docs|examples)\b/.test(place))).toEqual([])
  })
})
