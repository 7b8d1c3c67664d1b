import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, memoryStateStore, type StreamedContent } from '../../client/index.ts'
import { readStreamed } from '../../client/store/streamed-source.ts'
import { FakeApi } from './fake-api.ts'

const bytes = Uint8Array.from({ length: 5500 }, (_, index) => index & 255)

/** The content in pieces of a size, as an iterable or as a stream; counts how often it is opened. */
function inPieces(content: Uint8Array, piece: number, asStream = false) {
  const counted = { opened: 0 }
  const source: StreamedContent = {
    size: content.length,
    stream() {
      counted.opened++
      const parts = Array.from({ length: Math.ceil(content.length / piece) }, (_, index) =>
        content.subarray(index * piece, (index + 1) * piece),
      )
      const iterable = (async function* () {
        yield* parts
      })()
      return asStream ? new Blob(parts.map((part) => new Uint8Array(part))).stream() : iterable
    },
  }
  return { source, counted }
}

function clientOf(api: FakeApi, retries?: number) {
  return createClient({
    api: 'https://api.test',
    key: 'hk_test',
    fetch: api.fetch,
    state: memoryStateStore(),
    sleep: async () => {},
    ...(retries !== undefined && { retries }),
  })
}

describe('content that comes as a stream', () => {
  it.each([
    ['an iterable', false],
    ['a ReadableStream', true],
  ])('is stored from %s, opened anew for each pass', async (_, asStream) => {
    const api = new FakeApi()
    const { source, counted } = inPieces(bytes, 777, asStream)
    const { items } = await clientOf(api).put({ path: 'a.bin', content: source }, { to: 'Bitcoin' })
    expect(api.contentOf(items[0]?.id ?? '')).toEqual(Buffer.from(bytes))
    expect(counted.opened).toBe(2)
  })

  it('gives any range that is asked for, in any order', async () => {
    const range = fc.tuple(fc.nat(bytes.length), fc.nat(bytes.length)).map(([a, b]) => (a < b ? [a, b] : [b, a]))
    await fc.assert(
      fc.asyncProperty(fc.array(range, { maxLength: 6 }), fc.integer({ min: 1, max: 3000 }), async (ranges, piece) => {
        const read = readStreamed(inPieces(bytes, piece).source)
        const found = await Promise.all(ranges.map(([start = 0, end = 0]) => read.read(start, end)))
        expect(found).toEqual(ranges.map(([start, end]) => bytes.slice(start, end)))
      }),
    )
  })

  it.each([
    ['fewer bytes', 6000, 'shorter'],
    ['more bytes', 5000, 'more bytes than its size, 5000'],
  ])('with %s than it said is refused before anything is made', async (_, size, message) => {
    const api = new FakeApi()
    const { source } = inPieces(bytes, 777)
    const putting = clientOf(api).put({ path: 'a.bin', content: { ...source, size } }, { to: 'Bitcoin' })
    await expect(putting).rejects.toMatchObject({ code: 'content_changed', message: expect.stringContaining(message) })
    expect(api.items.size).toBe(0)
  })
})

describe('putFolder', () => {
  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'hookline-folder-'))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    for (const name of ['b.txt', 'a.txt', '.env', 'noise.log']) writeFileSync(join(path, name), name)
    writeFileSync(join(path, '.hooklineignore'), '*.log')
    return path
  }

  it('stores the files of a folder that the command would, and names what is left out', async () => {
    const api = new FakeApi()
    const { items, skipped } = await clientOf(api).putFolder(folder(), { to: 'Bitcoin' })
    expect(items.map(({ name }) => name)).toEqual(['a.txt', 'b.txt'])
    expect(skipped.map(({ path }) => path).sort()).toEqual(['.env', '.hooklineignore', 'noise.log'])
  })

  it('makes one directory of its name on IPFS', async () => {
    const { items } = await clientOf(new FakeApi()).putFolder(folder(), { to: 'IPFS', hidden: true })
    expect(items).toMatchObject([{ mimetype: 'inode/directory', name: expect.stringMatching(/^hookline-folder-/) }])
  })

  it.each([
    ['with an index.html', 'index.html', {}, 1],
    ['without one', 'page.html', {}, 3],
    ['without one, as a website', 'page.html', { as: 'website' }, 1],
    ['with an index.html, as files', 'index.html', { as: 'files' }, 3],
    ['without one, with the name of a directory', 'page.html', { directory: 'mine' }, 1],
  ] as const)('makes of a folder %s as many items on a chain as is said', async (_, name, options, count) => {
    const path = folder()
    writeFileSync(join(path, name), '<h1>Site</h1>')
    const { items } = await clientOf(new FakeApi()).putFolder(path, { to: 'Bitcoin', ...options })
    expect(items).toHaveLength(count)
    if (count === 1) expect(items).toMatchObject([{ mimetype: 'inode/directory', blockchain: 'Bitcoin' }])
  })

  it('says which folder there is not', async () => {
    await expect(clientOf(new FakeApi()).putFolder('/no/such', { to: 'IPFS' })).rejects.toMatchObject({
      code: 'invalid_files',
      message: 'There is no folder "/no/such".',
    })
  })
})

it('retries is the number of tries after the first', async () => {
  const api = new FakeApi()
  api.before = () => Response.json({ code: 'busy', message: 'Busy.' }, { status: 503 })
  await expect(clientOf(api, 1).account.get()).rejects.toMatchObject({ status: 503 })
  expect(api.requests).toHaveLength(2)
  expect(() => clientOf(api, -1)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
})
