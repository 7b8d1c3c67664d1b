import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { writeBill } from '../../scripts/write-bill.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
const {
  packages,
}: { packages: Record<string, { version: string; integrity?: string; link?: boolean; hasInstallScript?: boolean }> } =
  read('package-lock.json')
const manifest: {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  allowScripts: object
} = read('package.json')
/** Packages from elsewhere, by their place in the lock file. */
const foreign = Object.entries(packages).filter(([place, { link }]) => place.includes('node_modules/') && !link)

describe('the lock file', () => {
  it('has the hash of every package, those of other systems too', () => {
    expect(foreign.length).toBeGreaterThan(100)
    expect(foreign.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([place]) => place)).toEqual([])
  })

  it('has install scripts of allowed packages only, and each allowed package has one', () => {
    const scripted = foreign.filter(([, { hasInstallScript }]) => hasInstallScript)
    const names = scripted.map(([place]) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length))
    expect([...new Set(names)].sort()).toEqual(Object.keys(manifest.allowScripts).sort())
  })
})

it('the bill of materials names every package of the lock file that a release is made of, with its hash', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-bill-'))
  try {
    const file = writeBill(pathToFileURL(`${folder}/`))
    const bill: { specVersion: string; components: { name: string; version: string; hashes?: object[] }[] } =
      JSON.parse(readFileSync(file, 'utf8'))
    const listed = new Map(bill.components.map((component) => [`${component.name}@${component.version}`, component]))
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const { version } = packages[`node_modules/${name}`] ?? {}
      expect([name, listed.get(`${name}@${version}`)?.hashes?.length]).toEqual([name, 1])
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
