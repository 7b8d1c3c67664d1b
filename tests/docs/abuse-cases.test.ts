import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(ROOT, 'docs/abuse-cases.md'), 'utf8')

/** Case numbers with the test files that the page names for them. */
const told = new Map(
  [...page.matchAll(/^\|\s*([A-Z]\d+)\s*\|[^|]*\|([^\n]*)\|$/gm)].map(([, number = '', files = '']) => [
    number,
    [...files.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file = '']) => file),
  ]),
)

/** Case numbers that begin the name of a test or a row of its table, with the files. */
const tested = new Map<string, string[]>()
for (const file of readdirSync(join(ROOT, 'tests'), { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.test.ts')) continue
  const text = readFileSync(join(ROOT, 'tests', file), 'utf8')
  for (const [, numbers = ''] of text.matchAll(/['"`(]((?:[ADFHIPRSUW]\d{1,2}(?:, )?)+): /g)) {
    for (const number of numbers.split(', ')) tested.set(number, [...(tested.get(number) ?? []), `tests/${file}`])
  }
}

describe('docs/abuse-cases.md', () => {
  it('names, for each case, only files that hold a test of its number', () => {
    const wrong = [...told].flatMap(([number, files]) =>
      files.filter((file) => !tested.get(number)?.includes(file)).map((file) => `${number}: ${file}`),
    )
    expect(wrong).toEqual([])
    expect([...told].filter(([, files]) => files.length === 0)).toEqual([])
  })

  it('has every number that a test has', () => {
    expect([...tested.keys()].filter((number) => !told.has(number))).toEqual([])
  })
})
