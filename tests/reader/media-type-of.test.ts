import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { mediaTypeOf as typeInConsole } from '../../console/core/media-type-of.ts'
import { mediaTypeOf } from '../../reader/media-type-of.ts'
import { MEDIA_TYPES_FILE, mediaTypesModule } from '../../scripts/media-types.ts'

it.each([
  ['a.png', 'image/png'],
  ['dir.html/B.JS', 'text/javascript'],
  ['favicon.ico', 'image/x-icon'],
  ['song.opus', 'audio/ogg'],
  ['letter.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['table.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['letter.odt', 'application/vnd.oasis.opendocument.text'],
  ['program.apk', 'application/vnd.android.package-archive'],
  ['model.usdz', 'model/vnd.usdz+zip'],
  ['places.kml', 'application/vnd.google-earth.kml+xml'],
  ['list.m3u8', 'application/vnd.apple.mpegurl'],
  ['person.vcf', 'text/x-vcard'],
  ['many.torrent', 'application/x-bittorrent'],
  ['archive.7z', 'application/x-7z-compressed'],
  ['picture.psd', 'image/vnd.adobe.photoshop'],
  ['song.mp3', 'audio/mpeg'],
  ['song.flac', 'audio/flac'],
  ['program.exe', 'application/octet-stream'],
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

it('every ending that mime-db knows is in the table; npm run docs:types writes it', () => {
  expect(readFileSync(MEDIA_TYPES_FILE, 'utf8')).toBe(mediaTypesModule())
})
