import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResponseReader } from '../../bench/load/response-reader.ts'

const answer = (length: number, status = 200) =>
  Buffer.from(
    `HTTP/1.1 ${status} OK\r\nContent-Type: text/plain\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(length)}`,
  )

describe('the count of answers', () => {
  it('is the same however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(300), { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 90 })),
        (lengths, cuts) => {
          const bytes = Buffer.concat(lengths.map((length) => answer(length)))
          const reader = new ResponseReader(200)
          let ended = 0
          for (let start = 0; start < bytes.length; ) {
            const end = start + (cuts.next().value ?? 1)
            ended += reader.read(bytes.subarray(start, end))
            start = end
          }
          expect(ended).toBe(lengths.length)
        },
      ),
    )
  })

  it('ends with an error at an answer of another status, or of no length', () => {
    expect(() => new ResponseReader(200).read(answer(1, 503))).toThrow('expected 200')
    expect(() => new ResponseReader(200).read(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow('Content-Length')
  })
})
