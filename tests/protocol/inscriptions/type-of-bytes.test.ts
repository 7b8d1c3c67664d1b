import { expect, it } from 'vitest'
import { typeOfBytes } from '../../../protocol/inscriptions/type-of-bytes.ts'

it.each([
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['RIFF1234WEBPVP8 ', 'image/webp'],
  ['RIFF1234WAVEfmt ', 'audio/wav'],
  ['\0\0\0\x1cftypavif', 'image/avif'],
  ['\0\0\0\x1cftypisom', 'video/mp4'],
  ['<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  ['\n<!DOCTYPE html><p>', 'text/html'],
  ['{"p":"src-20"}', 'application/json'],
  ['just text', undefined],
  ['', undefined],
])('%j is %s', (text, type) => {
  expect(typeOfBytes(Uint8Array.from(text, (character) => character.charCodeAt(0)))).toBe(type)
})
