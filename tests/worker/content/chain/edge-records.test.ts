import { describe, expect, it, vi } from 'vitest'
import { getEdgeRecord, putEdgeRecord } from '../../../../worker/content/chain/edge-records.ts'
import { streamedBody } from '../../../../worker/content/chain/streamed-body.ts'
import { randomBytes } from '../ipfs/dag-fixture.ts'

const SIZE = (3 << 20) + 77
const bytes = new Uint8Array(randomBytes(SIZE))
const NAME = `content/Nativecoin/${'ab'.repeat(32)}`

/** What a body has in a range, and how many pieces it came in. */
async function readRange(body: ReturnType<typeof streamedBody>, start: number, end: number) {
  const pieces: Uint8Array[] = []
  for await (const piece of body.read({ start, end })) pieces.push(piece.slice())
  return { pieces: pieces.length, bytes: new Uint8Array(await new Blob(pieces).arrayBuffer()) }
}

async function edgeBody() {
  const body = (await getEdgeRecord(NAME))?.body
  if (!body || body instanceof Uint8Array) throw new Error('The record is not read in parts.')
  return body
}

describe('a record above one mebibyte in the edge cache', () => {
  it('is read in steps of 256 KiB, not in the pieces that the cache sends', async () => {
    await putEdgeRecord(NAME, { body: bytes, form: { encoding: 'identity' } })
    const whole = await readRange(await edgeBody(), 0, SIZE - 1)
    expect(whole.bytes).toEqual(bytes)
    expect(whole.pieces).toBe(Math.ceil(SIZE / (256 << 10)))
  })

  it.each([
    ['in the middle', 2_000_000, 2_300_000],
    ['at the start', 0, 9],
    ['at the end', SIZE - 10, SIZE - 1],
    ['of one byte', 1_234_567, 1_234_567],
  ])('sends a range %s from a request for that range alone', async (_where, start, end) => {
    await putEdgeRecord(NAME, { body: bytes, form: { encoding: 'identity' } })
    const body = await edgeBody()
    const match = vi.spyOn(caches.default, 'match')
    const part = await readRange(body, start, end)
    expect(part.bytes).toEqual(bytes.subarray(start, end + 1))
    expect(match.mock.calls.map(([request]) => new Request(request).headers.get('Range'))).toEqual([
      `bytes=${start}-${end}`,
    ])
    match.mockRestore()
  })

  it('still sends the range when the cache dropped the record in between', async () => {
    await putEdgeRecord(NAME, { body: bytes, form: { encoding: 'identity' } })
    const body = await edgeBody()
    await caches.default.delete(`https://content.hookline.invalid/${NAME}`)
    expect((await readRange(body, 2_000_000, 2_300_000)).bytes).toEqual(bytes.subarray(2_000_000, 2_300_001))
  })
})

it('a stream that ends before its size is an error, not a short body', async () => {
  const { readable, writable } = new FixedLengthStream(1000)
  const writer = writable.getWriter()
  void writer.write(bytes.slice(0, 1000)).then(() => writer.close())
  await expect(readRange(streamedBody(readable, 2000), 0, 1999)).rejects.toThrow('ended')
})
