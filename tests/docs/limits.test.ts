import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { inWords, LIFETIMES } from '../../contract/lifetimes.ts'
import { limitsPage, withLimits } from '../../scripts/limits-document.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

it('the tables of limits in docs/operators.md have the numbers of the code; npm run docs:limits writes them', () => {
  const page = limitsPage()
  expect(withLimits(page)).toBe(page)
  expect(() => withLimits('no place')).toThrow('has no place')
})

const IN_LETTERS: Record<string, string> = {
  2: 'two',
  3: 'three',
  5: 'five',
  7: 'seven',
  8: 'eight',
  10: 'ten',
  15: 'fifteen',
}

it('no sentence of an answer, a page or a mail has a time, or the length of a page, of its own beside the one that holds', () => {
  const lifetimes = Object.values(LIFETIMES).flatMap((seconds) => {
    const [count = '', unit] = inWords(seconds).split(' ')
    return [count, IN_LETTERS[count] ?? count].map((one) => `${one} ${unit}`)
  })
  const times = new RegExp(`\\b(?:${[...lifetimes, '[\\d,]+ a (?:page|minute)', '[\\d,]+ [KMG]iB'].join('|')})\\b`, 'g')
  const told = ['contract', 'worker/features', 'worker/platform', 'console/texts', 'cli'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
      .flatMap((file) => {
        const code = readFileSync(join(ROOT, folder, file), 'utf8').replaceAll(/\/\*\*?[\s\S]*?\*\/|\/\/.*/g, '')
        return [...code.matchAll(times)].map(([time]) => `${folder}/${file}: ${time}`)
      }),
  )
  expect(told).toEqual([])
})
