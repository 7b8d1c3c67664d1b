import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')

describe('docs/architecture.md', () => {
  it('names only files and folders that are there', () => {
    const named = [...page.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9-]+)*(?:\/|\.(?:ts|json|md)))`/g)].map(
      ([, path = '']) => path,
    )
    expect(named.length).toBeGreaterThan(50)
    const places = ['', 'worker', 'worker/ipfs', 'worker/storage/items']
    const missing = named.filter((path) => !places.some((place) => existsSync(join(ROOT, place, path))))
    expect(missing).toEqual([])
  })
})
