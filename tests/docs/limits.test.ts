import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { inWords, LIFETIMES } from '../../contract/lifetimes.ts'
import { LIMITS_PAGE, SETTINGS_PAGE, withLimits, withSettings } from '../../scripts/limits-document.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

it.each([
  ['limits', LIMITS_PAGE, withLimits],
  ['settings', SETTINGS_PAGE, withSettings],
])('the tables of %s in docs/operate have what the code has; npm run docs:limits writes them', (_, file, write) => {
  const page = readFileSync(file, 'utf8')
  expect(write(page)).toBe(page)
  expect(() => write('no place')).toThrow('has no place')
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
