import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prefersCsv, writeCsv } from '../../../../worker/platform/http/csv.ts'

/** RFC 4180 read back: fields in quotes or bare, rows by CRLF. */
function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? bare ?? '')
    if (end === '\r\n') {
      rows.push(row)
      row = []
    }
  }
  return rows
}

describe('a table of comma-separated values', () => {
  it('gives back what was written, whatever it is, but for the apostrophe before what looks like a formula', () => {
    const binary = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))
    const cell = fc.oneof(binary, fc.string({ unit: fc.constantFrom(...`=+-@|%＝;, \t\r\n"'a1`) }))
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { maxLength: 20 })
    const bare = (rows: readonly string[][]) => rows.map((row) => row.map((text) => text.replaceAll("'", '')))
    fc.assert(
      fc.property(table, (rows) => {
        const read = readCsv(writeCsv(['a', 'b'], rows)).slice(1)
        expect(bare(read)).toEqual(bare(rows))
        for (const text of read.flat()) expect(text).not.toMatch(/^[\t\r\n]|(?:^|[;\t\r\n]) *[=+\-@|%＝]/)
      }),
    )
  })

  it('does not let a formula begin where a spreadsheet of another country ends a cell, nor in full width', () => {
    const row = ['a;=1+1', 'b\t@c', 'd; -2', '＝1', 'e;f', 'g-h=i']
    expect(writeCsv(['a', 'b', 'c', 'd', 'e', 'f'], [row])).toBe(
      `a,b,c,d,e,f\r\na;'=1+1,b\t'@c,d;' -2,'＝1,e;f,g-h=i\r\n`,
    )
  })

  it('does not let a name run as a formula, and leaves amounts the numbers that they are', () => {
    const row = ['=HYPERLINK("http://x")', { plain: '-0.5' }, '+1', '@a', '-1', null]
    expect(writeCsv(['a', 'b', 'c', 'd', 'e', 'f'], [row])).toBe(
      `a,b,c,d,e,f\r\n"'=HYPERLINK(""http://x"")",-0.5,'+1,'@a,'-1,\r\n`,
    )
  })
})

describe('whether a table is asked for', () => {
  for (const [accept, csv] of [
    ['text/csv', true],
    ['text/csv;q=0.9, */*;q=0.1', true],
    ['application/json, text/csv', true],
    ['application/json, text/csv;q=0.5', false],
    ['text/csv;q=0', false],
    ['*/*', false],
    [undefined, false],
  ] as const) {
    it(`${accept}: ${csv}`, () => {
      expect(prefersCsv(accept)).toBe(csv)
    })
  }
})
