/** Bytes from text of one byte a character. */
export const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

const utf8 = (text: string) => new TextEncoder().encode(text)

/** The bytes of text in UTF-16, with its byte order mark. */
function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length + 2))
  for (const [index, character] of [...`\ufeff${text}`].entries()) {
    view.setUint16(2 * index, character.charCodeAt(0), littleEndian)
  }
  return new Uint8Array(view.buffer)
}

const page = (head: string, body: string) => `<html><head>${head}<title>t</title></head><body>${body}</body></html>`
const xml = (encoding: string, rest: string) => latin1(`<?xml version="1.0" encoding="${encoding}"?>${rest}`)

/** Files by their names, each with the media type that it is sent with, and a part that it shows. */
export const DECLARED: Record<string, { bytes: Uint8Array; type: string; shows: string }> = {
  // What was reported.
  'sjis.html': {
    bytes: latin1(page('<meta charset="Shift_JIS">', '\x93\xfa\x96{\x8c\xea\x81u\x95\\\x81v')),
    type: 'text/html; charset=shift_jis',
    shows: '日本語「表」',
  },
  'windows1252.html': {
    bytes: latin1(
      page('<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">', 'Gr\xfc\xdfe \x96 \x80'),
    ),
    type: 'text/html; charset=windows-1252',
    shows: 'Grüße – €',
  },
  'latin1.css': {
    bytes: latin1('@charset "iso-8859-1";\n#p::after{content:"\xe4\xf6\xfc"}'),
    type: 'text/css; charset=windows-1252',
    shows: 'äöü',
  },
  'latin1.svg': {
    bytes: xml('ISO-8859-1', '<svg xmlns="http://www.w3.org/2000/svg"><text y="15">Gr\xfc\xdfe</text></svg>'),
    type: 'image/svg+xml; charset=windows-1252',
    shows: 'Grüße',
  },
  'latin1.xhtml': {
    bytes: xml('ISO-8859-1', '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Gr\xfc\xdfe</p></body></html>'),
    type: 'application/xhtml+xml; charset=windows-1252',
    shows: 'Grüße',
  },
  'latin1.xml': {
    bytes: xml('ISO-8859-1', '<r>Gr\xfc\xdfe</r>'),
    type: 'text/xml; charset=windows-1252',
    shows: 'Grüße',
  },
  'utf16le.html': {
    bytes: utf16(page('', '日本語'), true),
    type: 'text/html; charset=utf-16le',
    shows: '日本語',
  },
  'utf16be.html': {
    bytes: utf16(page('', '日本語'), false),
    type: 'text/html; charset=utf-16be',
    shows: '日本語',
  },
  'meta-utf16.html': {
    bytes: utf8(page('<meta charset=utf-16>', '日本語')),
    type: 'text/html; charset=utf-8',
    shows: '日本語',
  },
  'utf8-bom-other-meta.html': {
    bytes: utf8(`\ufeff${page('<meta charset=windows-1252>', '日本語')}`),
    type: 'text/html; charset=utf-8',
    shows: '日本語',
  },
  // Of the same kinds.
  'koi8.txt.html': {
    bytes: latin1(
      page("<meta http-equiv=content-type content='text/html;charset = koi8-r'>", '\xf0\xd2\xc9\xd7\xc5\xd4'),
    ),
    type: 'text/html; charset=koi8-r',
    shows: 'Привет',
  },
  'gb2312.html': {
    bytes: latin1(page('<!-- <meta charset=utf-8> --><META CHARSET=gb2312 >', '\xd6\xd0\xce\xc4')),
    type: 'text/html; charset=gbk',
    shows: '中文',
  },
  'euc-jp.xml': {
    bytes: latin1("<?xml version='1.0' encoding='EUC-JP' ?><r>\xc6\xfc\xcb\xdc</r>"),
    type: 'text/xml; charset=euc-jp',
    shows: '日本',
  },
  'iso-2022-jp.html': {
    bytes: latin1(page('<meta charset=iso-2022-jp>', '\x1b$BF|K\\\x1b(B')),
    type: 'text/html; charset=iso-2022-jp',
    shows: '日本',
  },
  'utf16.css': {
    bytes: utf16('p::after{content:"ä"}', true),
    type: 'text/css; charset=utf-16le',
    shows: 'ä',
  },
  'plain.txt': { bytes: utf8('Grüße\n'), type: 'text/plain; charset=utf-8', shows: 'Grüße' },
  'plain.csv': { bytes: utf8('a,ü\n'), type: 'text/csv; charset=utf-8', shows: 'ü' },
  'script.js': { bytes: utf8('let ü'), type: 'text/javascript; charset=utf-8', shows: 'ü' },
}

/** Files that name no encoding and are not UTF-8: no charset is named. */
export const UNDECLARED: Record<string, { bytes: Uint8Array; type: string }> = {
  'latin1.js': { bytes: latin1('document.title="Gr\xfc\xdfe"'), type: 'text/javascript' },
  'late-meta.html': {
    bytes: latin1(page(`<!-- ${'x'.repeat(1100)} --><meta charset=windows-1252>`, 'Gr\xfc\xdfe')),
    type: 'text/html',
  },
  'latin1.txt': { bytes: latin1('Gr\xfc\xdfe'), type: 'text/plain' },
  'jis.txt': { bytes: latin1('\x1b$BF|K\\\x1b(B'), type: 'text/plain' },
  'hz.html': { bytes: latin1(page('<meta charset=hz-gb-2312>', '~{VPND~}')), type: 'text/html' },
}
