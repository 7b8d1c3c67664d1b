import { env } from 'cloudflare:test'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHex } from '../../../../protocol/bytes.ts'
import { inSteps } from '../../../../worker/content/chain/join-parts.ts'
import { prepareAnswer } from '../../../../worker/content/chain/prepare-answer.ts'
import { memoryOf } from '../../../../worker/platform/flow/memory-budget.ts'

const source = { env, maxDecodedBytes: 1 << 20, take: memoryOf(undefined), reopen: async () => undefined }
const options = { name: `Bitcoin/${'ab'.repeat(32)}`, brotli: false, partial: false, source }
const numbered = (length: number) => Uint8Array.from({ length }, (_, index) => index * 31 + (index >> 8))

async function joined(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of parts) text += decoder.decode(part)
  return text
}

describe('hex of content that is read in steps', () => {
  const bytes = numbered((2 << 20) + 12_345)
  const forms = [
    ['blob', toHex(bytes)],
    ['chunk', `{"hex":"${toHex(bytes)}"}`],
  ] as const

  it.each(forms)('%s comes in steps, in whole and in every part that is asked for', async (form, whole) => {
    const record = {
      kind: 'file' as const,
      size: bytes.length,
      async *read({ start, end }: { start: number; end: number }) {
        for (let at = start; at <= end; at += 300_001) yield bytes.subarray(at, Math.min(at + 300_001, end + 1))
      },
    }
    const { body } = await prepareAnswer(form, { body: record, form: { encoding: 'identity' } }, options)
    if (body instanceof Uint8Array) throw new Error('it was made at once')
    expect(body.size).toBe(whole.length)
    expect((await joined(body.read({ start: 0, end: body.size - 1 }))) === whole).toBe(true)
    const place = fc.oneof(
      fc.nat(12),
      fc.nat(whole.length - 1),
      fc.nat(12).map((back) => whole.length - 1 - back),
    )
    const length = fc.oneof(fc.nat(12), fc.nat(700_000))
    await fc.assert(
      fc.asyncProperty(place, length, async (start, more) => {
        const end = Math.min(start + more, whole.length - 1)
        expect((await joined(body.read({ start, end }))) === whole.slice(start, end + 1)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })
})

describe('parts in steps', () => {
  it('are all there in their order, and none that is large is copied', () => {
    const lengths = fc.array(fc.oneof(fc.nat(100), fc.constantFrom(65_535, 65_536, 262_144)), { maxLength: 12 })
    fc.assert(
      fc.property(lengths, (sizes) => {
        const parts = sizes.map((size, index) => new Uint8Array(size).fill(index))
        const steps = [...inSteps(parts)]
        expect(Buffer.concat(steps).equals(Buffer.concat(parts))).toBe(true)
        for (const part of parts) if (part.length >= 65_536) expect(steps).toContain(part)
      }),
      { numRuns: 50 },
    )
  })
})
