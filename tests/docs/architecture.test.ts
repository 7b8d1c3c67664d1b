import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')

describe('docs/operate/watch.md', () => {
  it('has alarms only for codes that the service logs', () => {
    const watch = readFileSync(join(ROOT, 'docs/operate/watch.md'), 'utf8')
    const signs = [...watch.matchAll(/^\| ([^|]*)\|/gm)].map(([, sign = '']) => sign.replace(/\([^)]*\)/g, ''))
    const codes = signs.flatMap((sign) => [...sign.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, code = '']) => code))
    const source = readdirSync(join(ROOT, 'worker'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(ROOT, 'worker', file), 'utf8'))
      .join('\n')
    expect(codes.length).toBeGreaterThan(15)
    expect(codes.filter((code) => !source.includes(`'${code}`))).toEqual([])
  })
})

describe('docs/architecture.md', () => {
  it('names only files and folders that are there', () => {
    const named = [...page.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9-]+)*(?:\/|\.(?:ts|json|md)))`/g)].map(
      ([, path = '']) => path,
    )
    expect(named.length).toBeGreaterThan(50)
    const places = [
      '',
      'worker',
      'worker/platform',
      'worker/content',
      'worker/content/ipfs',
      'worker/chain',
      'worker/features',
      'worker/features/items',
      'worker/features/items/sql',
    ]
    const missing = named.filter((path) => !places.some((place) => existsSync(join(ROOT, place, path))))
    expect(missing).toEqual([])
  })
})
