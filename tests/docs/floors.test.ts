import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** Folders of worker/ by floor, as the table of the floors has them. */
const floorOf = new Map(
  [...read('docs/architecture.md').matchAll(/^\| (\d+) +\| (.+?) +\|/gm)].flatMap(([, floor, names = '']) =>
    [...names.matchAll(/`([\w-]+)\/`/g)].map(([, name = '']): [string, number] => [name, Number(floor)]),
  ),
)

interface Rule {
  includes: string[]
  linter: { rules: { style: { noRestrictedImports: { options: { patterns: { group: string[] }[] } } } } }
}
const rules: Rule[] = JSON.parse(read('biome.floors.json')).overrides

it('every folder of the Worker stands on a floor', () => {
  const folders = readdirSync(new URL('worker/', root), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(folders.map(({ name }) => name).filter((name) => !floorOf.has(name))).toEqual([])
})

it('no folder may import from any that stands above it', () => {
  const top = Math.max(...floorOf.values())
  for (const [folder, floor] of floorOf) {
    if (floor === top || folder === 'protocol') continue
    const own = rules.filter(({ includes }) => includes.includes(`worker/${folder}/**`))
    const refused = own.flatMap(({ linter }) =>
      linter.rules.style.noRestrictedImports.options.patterns.flatMap(({ group }) => group),
    )
    const above = [...floorOf].filter(([, other]) => other > floor).map(([name]) => name)
    const allowed = above.filter((name) => !refused.some((pattern) => pattern.endsWith(`../${name}/**`)))
    expect([folder, allowed]).toEqual([folder, []])
  }
})
