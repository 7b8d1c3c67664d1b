import { brotliDecompressSync, constants } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FileName } from '../../../../contract/fields.ts'
import { parseMediaType } from '../../../../contract/media-type.ts'
import { ITEM_STATUS_NUMBERS, ITEM_STATUSES } from '../../../../contract/states.ts'
import { brotliParameters } from '../../../../protocol/brotli-settings.ts'
import { concatBytes } from '../../../../protocol/bytes.ts'
import { literalBrotli, literalBrotliLength, mostCompressed } from '../../../../protocol/literal-brotli.ts'
import { contentOf, countOf, readLayout } from '../../../../protocol/literal-parts.ts'
import { isObjectId, objectId } from '../../../../protocol/object-id.ts'
import { CHUNK_SIZE, chunkLength, planChunks } from '../../../../worker/features/items/chunk-plan.ts'
import { parseContentDigest } from '../../../../worker/features/items/content-digest.ts'
import { embedSnippet } from '../../../../worker/features/items/embed-snippet.ts'
import { directoryPaths } from '../../../../worker/features/items/merge/directory-paths.ts'
import { parseItemStatus } from '../../../../worker/features/items/sql/item-state.ts'
import { parseOrThrow } from '../../../kit/parse-or-throw.ts'

describe('an object id', () => {
  it('is its time in seconds and random bytes, as 24 lowercase hex digits', () => {
    expect(objectId(0x5f00_0000 * 1000 + 999, Uint8Array.of(0, 1, 2, 3, 0xfc, 0xfd, 0xfe, 0xff))).toBe(
      '5f00000000010203fcfdfeff',
    )
    expect(isObjectId(objectId(Date.now()))).toBe(true)
    expect(objectId(0)).not.toBe(objectId(0))
    for (const text of ['5F0000000001020304050607', '5f', 5, undefined]) expect(isObjectId(text)).toBe(false)
  })
})

describe('the plan of chunks', () => {
  it('covers every byte exactly once, whatever the size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 34 }), (size) => {
        const plan = { size, ...planChunks(size) }
        expect(plan.chunkSize).toBeLessThanOrEqual(CHUNK_SIZE)
        const last = chunkLength(plan, plan.chunks - 1) ?? 0
        expect(last).toBeGreaterThan(0)
        expect((plan.chunks - 1) * plan.chunkSize + last).toBe(size)
        if (plan.chunks > 1) expect(chunkLength(plan, 0)).toBe(CHUNK_SIZE)
      }),
    )
  })

  it('has no chunk outside', () => {
    const plan = { size: 5, ...planChunks(5) }
    for (const index of [-1, 1, 0.5, Number.NaN]) expect(chunkLength(plan, index)).toBeUndefined()
  })
})

it('compresses text as text and fonts as fonts', () => {
  const mode = (essence: string) => brotliParameters(1, essence)[constants.BROTLI_PARAM_MODE]
  expect(['text/css', 'image/svg+xml', 'font/woff', 'image/png'].map(mode)).toEqual([
    constants.BROTLI_MODE_TEXT,
    constants.BROTLI_MODE_TEXT,
    constants.BROTLI_MODE_FONT,
    constants.BROTLI_MODE_GENERIC,
  ])
  expect(brotliParameters(7, 'text/css')).toMatchObject({
    [constants.BROTLI_PARAM_LGWIN]: 22,
    [constants.BROTLI_PARAM_SIZE_HINT]: 7,
  })
})

it('compresses with less effort what was cut off', () => {
  const quality = (size: number, cutOff?: number) =>
    brotliParameters(size, 'text/html', cutOff)[constants.BROTLI_PARAM_QUALITY]
  expect([quality(1), quality(5 << 20), quality(1, 1), quality(1, 2), quality(1, 9)]).toEqual([11, 9, 5, 1, 1])
})

describe('literal Brotli', () => {
  it('decodes to the very bytes, in one meta-block or many, however the bytes come', async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      // Past 65,536 the length takes another nibble.
      fc.asyncProperty(pieces, fc.integer({ min: 0, max: 70_000 }), async (parts, padding) => {
        const content = [...parts, new Uint8Array(padding + 1)]
        const whole = concatBytes(content)
        const encoded: Uint8Array[] = []
        async function* stream() {
          yield* content
        }
        for await (const bytes of literalBrotli(stream(), whole.length, 80)) encoded.push(bytes)
        expect(concatBytes(encoded).length).toBe(literalBrotliLength(whole.length, 80))
        expect(Buffer.compare(brotliDecompressSync(concatBytes(encoded)), whole)).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  it('begins each transaction with a meta-block that ends with it, where transactions are not small', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4096, max: 70_000 }),
        fc.integer({ min: 0, max: 5 }),
        fc.integer({ min: 1, max: 200 }),
        async (step, count, more) => {
          const whole = new Uint8Array(count * step + more).map((_, index) => index)
          const encoded: Uint8Array[] = []
          async function* stream() {
            yield whole
          }
          for await (const bytes of literalBrotli(stream(), whole.length, step)) encoded.push(bytes)
          const stored = concatBytes(encoded)
          expect(stored.length).toBe(literalBrotliLength(whole.length, step))
          expect(Buffer.compare(brotliDecompressSync(stored), whole)).toBe(0)
          const layout = readLayout(stored.subarray(0, step))
          expect(layout === undefined).toBe(stored.length <= step)
          if (!layout) return
          const parts = Array.from({ length: Math.ceil(stored.length / step) }, (_, index) =>
            contentOf(layout, index, stored.subarray(index * step, (index + 1) * step)),
          )
          expect(parts).toHaveLength(countOf(layout))
          expect(Buffer.compare(concatBytes(parts.map((part) => part ?? new Uint8Array(0))), whole)).toBe(0)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('is chosen for what compressing shortens by less than 3 %, where ranges gain from that, and it fits', () => {
    const literal = literalBrotliLength(200_000, 100_000)
    expect(literal).toBe(200_000 + 22 + 3 + 3 + 1)
    expect(mostCompressed(200_000, 100_000, 2 ** 24)).toBe(Math.floor((literal * 31) / 32))
    expect(mostCompressed(90_000, 100_000, 2 ** 24)).toBe(90_000 + 5)
    expect(mostCompressed(200_000, 80, 2 ** 24)).toBe(200_000 + 5)
    expect(mostCompressed(200_000, 100_000, 199_000)).toBe(199_000)
  })
})

describe('a media type', () => {
  const taken = [
    ['text/html', 'text/html'],
    ['Text/HTML; charset=UTF-8', 'text/html; charset=UTF-8'],
    ['image/svg+xml', 'image/svg+xml'],
    ['application/x; boundary="a b\\"c"', 'application/x; boundary="a b\\"c"'],
    ['application/vnd.ipld.car;version=1;order=dfs', 'application/vnd.ipld.car;version=1;order=dfs'],
  ] as const
  for (const [text, parsed] of taken) it(`may be ${text}`, () => expect(parseMediaType(text)).toBe(parsed))

  const refused = ['', 'text', 'text/', '/html', 'text/html;', 'text/ht ml', 'a/b; c', 'a/b; c="d', 'a/b, c/d', ' a/b']
  for (const text of [...refused, 'text/html\n', 'text/html\r\nA: b', 'text/é', `a/${'b'.repeat(255)}`]) {
    it(`may not be ${JSON.stringify(text.slice(0, 30))}`, () => expect(parseMediaType(text)).toBeUndefined())
  }

  const hiding = [
    'multipart/x-mixed-replace',
    'Multipart/mixed; boundary=x',
    'text/html; charset=utf-7',
    'text/html;CharSet="UTF-7"',
    'text/html; charset="ut\\f-7"',
    'text/plain; charset=utf-8; charset=utf-7',
    'text/html; charset=iso-2022-jp',
    'text/html; charset=hz-gb-2312',
  ]
  for (const text of hiding) {
    it(`R25: may not hide markup from whoever looks: ${text}`, () => expect(parseMediaType(text)).toBeUndefined())
  }

  it('that is taken can stand in a header, as it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]+\/[ -~\t\r\n]+$/), (text) => {
        const parsed = parseMediaType(text)
        if (parsed !== undefined) expect(new Headers({ 'Content-Type': parsed }).get('Content-Type')).toBe(parsed)
      }),
    )
  })
})

describe('a name', () => {
  it('that is taken never reaches out of its folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        let name: string | undefined
        try {
          name = parseOrThrow(FileName, text)
        } catch {
          return
        }
        expect(name).toBe(text)
        expect(new URL(`https://x/a/${encodeURIComponent(name)}`).pathname.split('/')).toHaveLength(3)
        expect(['.', '..', '']).not.toContain(name)
      }),
    )
  })
})

describe('Content-Digest', () => {
  const sha256 = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
  it('gives its SHA-256, alone or among others', () => {
    expect(parseContentDigest(`sha-256=:${sha256}:`)).toBe(sha256)
    expect(parseContentDigest(`sha-512=:AA==:, sha-256=:${sha256}:`)).toBe(sha256)
  })
  it('gives the last of several, as a dictionary of HTTP has it', () => {
    expect(parseContentDigest(`sha-256=:AA==:, sha-256=:${sha256}:`)).toBe(sha256)
  })
  it('need not be there, or have one', () => {
    expect(parseContentDigest(undefined)).toBeUndefined()
    expect(parseContentDigest('sha-512=:AA==:')).toBeUndefined()
  })
  for (const text of ['sha-256', 'sha-256=', `sha-256=${sha256}`, 'sha-256=:AA==:', `sha-256=:${sha256}:;x`]) {
    it(`is refused as ${text}`, () => expect(() => parseContentDigest(text)).toThrow('Content-Digest'))
  }
})

describe('a status to filter by', () => {
  it('may be a number or the words of the API', () => {
    const numbers = ITEM_STATUSES.map((text) => parseItemStatus(text))
    expect(numbers).toEqual(ITEM_STATUS_NUMBERS.map(Number))
    expect(ITEM_STATUS_NUMBERS.map((number) => parseItemStatus(number))).toEqual(numbers)
    for (const text of ['', '200 ok', '404']) expect(parseItemStatus(text)).toBeUndefined()
  })
})

describe('the paths of a directory', () => {
  const folder = (id: string, name: string, parentId: string | null) => ({
    id,
    name,
    parentId,
    userId: 'u',
    blockchain: 'IPFS' as const,
    merged: false,
    createdAt: 0,
  })
  const tree = [folder('root', 'site', 'above'), folder('img', 'images', 'root'), folder('old', 'old', 'img')]

  it('begin below the folder that is merged', () => {
    const files = [
      { id: '1', folderId: 'root', name: 'index.html' },
      { id: '2', folderId: 'img', name: 'a.png' },
      { id: '3', folderId: 'old', name: 'a.png' },
    ]
    const paths = new Map([
      ['1', 'index.html'],
      ['2', 'images/a.png'],
      ['3', 'images/old/a.png'],
    ])
    expect(directoryPaths('root', tree, files)).toEqual({ paths, empty: [] })
  })

  it('are those of folders that nothing is in, too', () => {
    const files = [{ id: '1', folderId: 'img', name: 'a.png' }]
    expect(directoryPaths('root', tree, files)).toMatchObject({ empty: ['images/old'] })
  })

  it('are refused where a file is called like a folder', () => {
    expect(directoryPaths('root', tree, [{ id: '1', folderId: 'img', name: 'old' }])).toEqual({
      collision: 'images/old',
    })
  })
})

describe('the snippet that embeds an item', () => {
  const source = { baseUrl: new URL('https://api.example'), blockchain: 'Nativecoin' as const, sources: ['ab'] }
  const elements = [
    ['image/png', 'img'],
    ['video/mp4', 'video'],
    ['audio/ogg', 'audio'],
    ['text/html; charset=utf-8', 'iframe'],
    ['text/plain', 'div'],
    ['application/json', 'div'],
    ['application/zip', 'a'],
  ] as const
  for (const [mimetype, element] of elements) {
    it(`is a ${element} for ${mimetype}`, () => {
      expect(embedSnippet({ ...source, mimetype, name: 'n' })).toMatch(
        new RegExp(`^<${element} class="Nativecoin" `, 'm'),
      )
    })
  }

  it('has the size of a picture, so that its page does not move when it comes', () => {
    const size = { width: 640, height: 360 }
    expect(embedSnippet({ ...source, mimetype: 'image/png', name: 'n', size })).toContain(
      ' width="640" height="360" alt="n">',
    )
  })

  it('saves under its name what no element shows', () => {
    const [line] = embedSnippet({ ...source, mimetype: 'application/zip', name: 'a & b.zip' }).split('\n')
    expect(line).toMatch(/ download="a &#38; b\.zip">a &#38; b\.zip<\/a>$/)
  })

  it('lets no name out of its attribute', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const [, line = ''] = embedSnippet({ ...source, mimetype: 'image/png', name }).split(/<\/style>\n|\n<script/)
        expect(line).toMatch(/^<img(?: [a-z-]+="[^"<>]*")+>$/)
      }),
    )
  })
})
