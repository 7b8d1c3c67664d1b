import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planChunks } from '../../../../../worker/features/items/chunk-plan.ts'
import { ChunkAssembler } from '../../../../../worker/features/items/upload/chunk-assembler.ts'
import { findOffset } from '../../../../../worker/features/items/upload/held-bytes.ts'

/** What a bucket holds of an upload whose chunks are `chunkSize` bytes. */
interface Held {
  chunks: Map<number, Uint8Array>
  tail: { index: number; bytes: Uint8Array } | undefined
}

/** Sends `content` from where the upload goes on, in pieces, up to a cut; keeps what a receiver keeps. */
function sendUntilCut(
  held: Held,
  plan: { size: number; chunkSize: number; chunks: number },
  content: Uint8Array,
  pieces: readonly number[],
  cutAfter: number,
) {
  const lengths = new Map([...held.chunks].map(([index, bytes]) => [index, { length: bytes.length }]))
  const tail = held.tail && { index: held.tail.index, length: held.tail.bytes.length }
  const found = findOffset(plan, lengths, tail)
  const bytes = found.tailLength > 0 && held.tail ? held.tail.bytes : new Uint8Array(0)
  const assembler = new ChunkAssembler(plan, found.index, bytes)
  expect(assembler.offset).toBe(found.offset)
  const end = Math.min(content.length, found.offset + cutAfter)
  for (let turn = 0; assembler.offset < end; turn++) {
    const most = Math.min(pieces[turn % pieces.length] ?? 1, assembler.missing, end - assembler.offset)
    const whole = assembler.add(content.subarray(assembler.offset, assembler.offset + most))
    if (whole) held.chunks.set(whole.index, Uint8Array.from(whole.bytes))
  }
  const left = assembler.tail()
  if (left) held.tail = { index: left.index, bytes: Uint8Array.from(left.bytes) }
  return assembler.offset
}

const plans = fc.record({ size: fc.integer({ min: 1, max: 300 }), chunkSize: fc.integer({ min: 1, max: 64 }) })

describe('an upload that is put together', () => {
  it('has the bytes that were sent, wherever and however often it was cut', () => {
    fc.assert(
      fc.property(
        plans,
        fc.array(fc.nat(90), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 5 }),
        ({ size, chunkSize }, cuts, pieces) => {
          const content = Uint8Array.from({ length: size }, (_, index) => (index * 7 + 3) % 251)
          const plan = {
            size,
            chunkSize: Math.min(size, chunkSize),
            chunks: Math.ceil(size / Math.min(size, chunkSize)),
          }
          const held: Held = { chunks: new Map(), tail: undefined }
          let before = 0
          for (const cut of [...cuts, size]) {
            const offset = sendUntilCut(held, plan, content, pieces, cut)
            // Not a byte that arrived is asked for again.
            expect(offset).toBe(Math.min(size, before + cut))
            before = offset
          }
          const joined = Array.from({ length: plan.chunks }, (_, index) => [...(held.chunks.get(index) ?? [])]).flat()
          expect(joined).toEqual([...content])
        },
      ),
    )
  })

  it('goes on at the first gap, with a tail only of that chunk', () => {
    fc.assert(
      fc.property(plans, fc.func(fc.boolean()), fc.nat(80), fc.nat(80), ({ size, chunkSize }, has, index, length) => {
        const plan = { size, chunkSize: Math.min(size, chunkSize), chunks: Math.ceil(size / Math.min(size, chunkSize)) }
        const lengthOf = (chunk: number) => Math.min(plan.chunkSize, size - chunk * plan.chunkSize)
        const there = Array.from({ length: plan.chunks }, (_, chunk) => has(chunk))
        const chunks = new Map(
          there.flatMap((is, chunk) => (is ? [[chunk, { length: lengthOf(chunk) }] as const] : [])),
        )
        const found = findOffset(plan, chunks, { index, length })
        const gap = there.includes(false) ? there.indexOf(false) : plan.chunks
        expect(found.index).toBe(gap)
        const counts = index === gap && gap < plan.chunks && length < lengthOf(gap)
        expect(found.offset).toBe(Math.min(size, gap * plan.chunkSize) + (counts ? length : 0))
      }),
    )
  })

  it('holds two chunks at most, the one given and the one that is filled', () => {
    const plan = { size: 4 * 2 ** 20, ...planChunks(4 * 2 ** 20) }
    const assembler = new ChunkAssembler(plan, 0, new Uint8Array(0))
    const buffers = new Set<ArrayBuffer>()
    for (let chunk = 0; chunk < 4; chunk++) {
      const whole = assembler.add(new Uint8Array(2 ** 20).fill(chunk))
      if (whole) buffers.add(whole.bytes.buffer)
    }
    expect(buffers.size).toBe(2)
  })

  it('refuses bytes beyond a chunk', () => {
    const assembler = new ChunkAssembler({ size: 10, chunkSize: 5, chunks: 2 }, 0, new Uint8Array(3))
    expect(() => assembler.add(new Uint8Array(3))).toThrow(RangeError)
  })
})
