import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A picture of 120 by 120 pixels of noise, 43,254 bytes: a bitmap (BITMAPINFOHEADER), which every browser shows. */
function bitmap(seed: string): Buffer {
  const [side, bytes] = [120, 120 * 120 * 3]
  const header = Buffer.alloc(54)
  header.write('BM')
  header.writeUInt32LE(54 + bytes, 2)
  header.writeUInt32LE(54, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(side, 18)
  header.writeInt32LE(side, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(24, 28)
  header.writeUInt32LE(bytes, 34)
  return Buffer.concat([header, createHash('shake256', { outputLength: bytes }).update(seed).digest()])
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

/**
 * The files of a website of 200 files and 5 MB by path, the same each time: pages, scripts, style sheets, pictures and a font in
 * folders. Its first page links to all of them by their paths in `title`, and its scripts count how many of them ran.
 */
export function largeWebsite(): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  const add = (path: string, content: string | Buffer) => files.set(path, Buffer.from(content))
  for (const n of numbers(118)) add(`pictures/${n % 10}/${n}.bmp`, bitmap(`picture ${n}`))
  for (const n of numbers(20)) add(`scripts/parts/${n}.js`, `window.ran = (window.ran ?? 0) + 1 // script ${n}\n`)
  for (const n of numbers(19)) add(`styles/parts/${n}.css`, `.part-${n} { margin: ${n}px }\n`)
  add(
    'styles/main.css',
    '@import "parts/0.css";\n@font-face { font-family: square; src: url("../fonts/square.ttf") }\nh1 { color: rgb(1, 2, 3); font-family: square }\n',
  )
  add('fonts/square.ttf', readFileSync(new URL('fixtures/square.ttf', import.meta.url)))
  for (const n of numbers(40)) {
    add(`pages/${n}/index.html`, `<!doctype html><title>Page ${n}</title><h1>Page ${n}</h1><a href="../../">home</a>\n`)
  }
  const paths = [...files.keys()]
  const of = (end: string, write: (path: string) => string) => paths.filter((path) => path.endsWith(end)).map(write)
  const page = [
    '<!doctype html>',
    '<meta charset="utf-8">',
    '<title>Almanac</title>',

    ...of('.css', (path) => `<link rel="stylesheet" href="${path}">`),
    ...paths.map((path) => `<link rel="alternate" title="${path}" href="${path}">`),
    ...of('.js', (path) => `<script src="${path}"></script>`),
    '<h1>Almanac</h1>',
    ...numbers(40).map((n) => `<a href="pages/${n}/">Page ${n}</a>`),
    ...of('.bmp', (path) => `<img alt="" src="${path}">`),
  ]
  add('index.html', `${page.join('\n')}\n`)
  return files
}
