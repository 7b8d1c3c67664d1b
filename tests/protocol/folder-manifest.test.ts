import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { folderManifest } from '../../protocol/folder-manifest.ts'

const HASH = createHash('sha256').update('x').digest('hex')
const textOf = (paths: readonly string[]) =>
  new TextDecoder().decode(folderManifest(paths.map((path) => ({ path, size: 1, sha256: HASH }))))

it('has a line for each file: path, size and hash', () => {
  const files = [
    { path: 'b', size: 20, sha256: HASH },
    { path: 'a/c.txt', size: 0, sha256: HASH },
  ]
  expect(new TextDecoder().decode(folderManifest(files))).toBe(`a/c.txt\0${0}\0${HASH}\nb\0${20}\0${HASH}\n`)
})

it('has a line for each folder that nothing is in, in its place among the files', () => {
  const files = [
    { path: 'a/c.txt', size: 1, sha256: HASH },
    { path: 'c', size: 1, sha256: HASH },
  ]
  expect(new TextDecoder().decode(folderManifest(files, ['b/d', 'a/b']))).toBe(
    `a/b/\0\0\na/c.txt\0${1}\0${HASH}\nb/d/\0\0\nc\0${1}\0${HASH}\n`,
  )
})

it('is sorted by bytes: a character beyond the basic plane is after U+FFFD', () => {
  expect(textOf(['\u{1f600}', '\ufffd', 'Z', 'a', 'a/b', 'a!'])).toBe(
    ['Z', 'a', 'a!', 'a/b', '\ufffd', '\u{1f600}'].map((path) => `${path}\0${1}\0${HASH}\n`).join(''),
  )
})

it('is the same in whichever order the files come, and another one for other files', () => {
  const paths = fc.uniqueArray(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(paths, (given) => {
      expect(textOf(given.toReversed())).toBe(textOf(given))
      expect(textOf(given.slice(1))).not.toBe(textOf(given))
    }),
  )
})
