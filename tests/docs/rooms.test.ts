import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Layers of `worker/`, from the lowest, and which feature may import from which: only earlier ones of the list. */
const { floors, features }: { floors: string[]; features: Record<string, string[]> } = JSON.parse(
  readFileSync(join(ROOT, 'worker/rooms.json'), 'utf8'),
)

/** Every import between two files of the Worker, types and what is loaded later included. */
const imports = readdirSync(join(ROOT, 'worker'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const text = readFileSync(join(ROOT, 'worker', file), 'utf8')
    const named = [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g)]
    return named.map(([, path = '']) => ({ from: file, to: normalize(join(dirname(file), path)) }))
  })
  .filter(({ to }) => !to.startsWith('..'))

const floorOf = (file: string) => floors.indexOf(file.split('/')[0] ?? '')
const featureOf = (file: string) => (file.startsWith('features/') ? file.split('/')[1] : undefined)
const told = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`

it('every import of the Worker leads to its own floor or one below', () => {
  expect(imports.length).toBeGreaterThan(2000)
  expect(imports.filter(({ from, to }) => floorOf(from) < floorOf(to)).map(told)).toEqual([])
  expect(imports.filter(({ from, to }) => floorOf(from) < 0 || floorOf(to) < 0).map(told)).toEqual([])
})

it('a feature imports only from the features that the list lets it use', () => {
  const refused = imports.filter(({ from, to }) => {
    const [user, used] = [featureOf(from), featureOf(to)]
    return user !== undefined && used !== undefined && user !== used && !features[user]?.includes(used)
  })
  expect(refused.map(told)).toEqual([])
})

it('the list of features has no circle, and no line that nothing needs', () => {
  const names = Object.keys(features)
  expect(readdirSync(join(ROOT, 'worker/features')).sort()).toEqual([...names].sort())
  const early = names.flatMap((user, place) => {
    const later = features[user]?.filter((used) => names.indexOf(used) >= place || names.indexOf(used) < 0) ?? []
    return later.map((used) => `${user} -> ${used}`)
  })
  expect(early).toEqual([])
  const used = new Set(imports.map(({ from, to }) => `${featureOf(from)} -> ${featureOf(to)}`))
  const allowed = Object.entries(features).flatMap(([user, list]) => list.map((other) => `${user} -> ${other}`))
  expect(allowed.filter((pair) => !used.has(pair))).toEqual([])
})
