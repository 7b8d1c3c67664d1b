import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { VERSION } from '../../contract/version.ts'

const read = (name: string) => readFileSync(name, 'utf8')

it.each(['package.json', 'client/package.json', 'scripts/api-types/package.json'])('%s has the version', (name) => {
  expect(JSON.parse(read(name)).version).toBe(VERSION)
})

it('the lock file has the version of each package of this repository', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
  expect(['', 'client', 'scripts/api-types'].map((name) => packages[name].version)).toEqual([VERSION, VERSION, VERSION])
})

it('the newest release of CHANGELOG.md is the version', () => {
  expect(/^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(VERSION)
})
