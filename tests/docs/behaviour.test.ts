import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = join(ROOT, 'docs/behaviour')
const MAX_WORDS = 1500
const MAX_LINE = 120

const names = readdirSync(PAGES)
const pages = names.map((name) => ({ name, text: readFileSync(join(PAGES, name), 'utf8') }))

describe('docs/behaviour', () => {
  it('has every page that code, tests and documents cite', () => {
    const files = ['worker', 'contract', 'protocol', 'client', 'cli', 'console', 'scripts', 'tests', 'docs'].flatMap(
      (folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
          .filter((file) => /\.(ts|tsx|md)$/.test(file) && !file.includes('node_modules'))
          .map((file) => join(folder, file)),
    )
    const cited = files.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bbehaviour\/([a-z-]+\.md)/g)].map(([, name = '']) => name),
    )
    expect(cited.length).toBeGreaterThan(20)
    expect(cited.filter((name) => !names.includes(name))).toEqual([])
  })

  it('lists each of its pages in its README', () => {
    const list = pages.find(({ name }) => name === 'README.md')?.text ?? ''
    expect(names.filter((name) => name !== 'README.md' && !list.includes(`](${name})`))).toEqual([])
  })

  it(`has at most ${MAX_WORDS} words a page and ${MAX_LINE} characters a line`, () => {
    for (const { name, text } of pages) {
      expect(text.split(/\s+/).length, name).toBeLessThanOrEqual(MAX_WORDS)
      expect(
        text.split('\n').filter((line) => [...line].length > MAX_LINE),
        name,
      ).toEqual([])
    }
  })
})
