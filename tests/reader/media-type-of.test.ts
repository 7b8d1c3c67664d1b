import { expect, it } from 'vitest'
import { mediaTypeOf as typeInConsole } from '../../console/core/media-type-of.ts'
import { mediaTypeOf } from '../../reader/media-type-of.ts'

it.each([
  ['a.png', 'image/png'],
  ['dir.html/B.JS', 'text/javascript'],
  ['favicon.ico', 'image/x-icon'],
  ['song.opus', 'audio/ogg'],
  ['LICENSE', 'application/octet-stream'],
  ['a.constructor', 'application/octet-stream'],
  ['a.__proto__', 'application/octet-stream'],
])('a file called %s is %s', (path, type) => {
  expect(mediaTypeOf(path)).toBe(type)
})

it.each(
  'avif css csv gif html htm ico jpeg jpg js json m4a md mjs mp3 mp4 ogg opus pdf png svg txt wasm webm webp woff2 xml zip'.split(
    ' ',
  ),
)('the console says of .%s what everybody says', (extension) => {
  expect(typeInConsole(`a.${extension}`, '')).toBe(mediaTypeOf(`a.${extension}`))
})
