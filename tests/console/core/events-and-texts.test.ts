import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayHelpAgain } from '../../../console/api/failure.ts'
import { consolePolicy } from '../../../console/content-policy.ts'
import { fieldOfBlocks } from '../../../console/core/blocks.ts'
import { isEmail, isPassword } from '../../../console/core/credentials.ts'
import { drawLongLine, nameBytes } from '../../../console/core/long-line.ts'
import { aboutSizeText, limitText, sizeText } from '../../../console/core/size-text.ts'
import { countdownText, durationText } from '../../../console/core/time-text.ts'
import { texts } from '../../../console/texts/index.ts'
import { operateTexts } from '../../../console/texts/operate.ts'

describe('what people read', () => {
  it('says a rate of a few bytes in whole ones', () => {
    expect([sizeText(561.863), sizeText(1), sizeText(999.6)]).toEqual(['562\u00a0bytes', '1\u00a0byte', '1.0\u00a0KB'])
  })

  it('console 39: no text blames, begs or sends anybody to the browser console', () => {
    const forbidden = /browser console|\bplease\b|\bsorry\b|\boops\b|\binvalid\b|!/i
    expect(allTexts({ texts, operateTexts }).filter((text) => forbidden.test(text))).toEqual([])
  })
  it('says sizes, limits and times in one unit', () => {
    expect([sizeText(999), sizeText(62_751), sizeText(999_960)]).toEqual([
      '999\u00a0bytes',
      '62.8\u00a0KB',
      '1.0\u00a0MB',
    ])
    expect([aboutSizeText(425), aboutSizeText(53_018), aboutSizeText(1_236_000), aboutSizeText(999_600)]).toEqual([
      '425\u00a0bytes',
      '53\u00a0KB',
      '1.24\u00a0MB',
      '1\u00a0MB',
    ])
    expect([limitText(16 * 2 ** 20), limitText(1_200_000)]).toEqual(['16.7\u00a0MB', '1.2\u00a0MB'])
    expect([durationText(1), durationText(240), durationText(7200)]).toEqual([
      '1\u00a0second',
      '4\u00a0minutes',
      '2\u00a0hours',
    ])
    expect([countdownText(2468), countdownText(3700), countdownText(-4)]).toEqual(['41:08', '1:01:40', '0:00'])
  })
  it('console 40: offers another try only where it can help', () => {
    const helps = (status: number) => mayHelpAgain({ status })
    expect([0, 429, 500, 503].every(helps)).toBe(true)
    expect([400, 401, 402, 403, 404, 409, 413].some(helps)).toBe(false)
  })
  it('takes what the service takes for an address and a password', () => {
    expect([isEmail(' Ann@Example.com '), isEmail('ann@example')]).toEqual([true, false])
    expect([isPassword('Correct1'), isPassword('correct1')]).toEqual([true, false])
  })
})

describe('the motif', () => {
  it('reads 32 bytes of a txid and of a CID, and of nothing else', () => {
    expect(nameBytes('ab'.repeat(32))).toEqual(new Uint8Array(32).fill(0xab))
    expect(nameBytes('bafkreiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')).toEqual(new Uint8Array(32))
    expect(nameBytes('letter.txt')).toBeUndefined()
    expect(drawLongLine(new Uint8Array(32), 8, 28, 0.5).hung.split('M')).toHaveLength(17)
  })
  it('draws at most 600 squares, each for a round number, and all of them', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(100_000), fc.nat(100_000), (total, a, b) => {
        const [confirmed = 0, written = 0] = [Math.min(a, total), Math.min(b, total)].sort((x, y) => x - y)
        const { each, full, half, hollow } = fieldOfBlocks(total, written, confirmed)
        expect(full + half + hollow).toBe(Math.ceil(total / each))
        expect(full + half + hollow).toBeLessThanOrEqual(600)
        expect(Math.min(full, half, hollow)).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})

it("names paths as sources of scripts, never 'self', and no inline code", () => {
  const policy = consolePolicy({ apiOrigin: 'https://api.example', storageOrigin: 'https://storage.example' })
  expect(/script-src ([^;]*)/.exec(policy)?.[1]).toBe(
    "https://api.example/console/ https://api.example/hook.js https://api.example/hook/ 'wasm-unsafe-eval'",
  )
  expect(policy).not.toContain('unsafe-inline')
  expect(policy).toContain('connect-src https://api.example https://storage.example;')
  expect(policy).toContain('frame-src https://api.example/frame https://*.storage.example;')
})

/** Every text, those that are put together included. */
function allTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'function') return [String(Reflect.apply(value, undefined, ['1', '2', '3', '4', '5']))]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(allTexts) : []
}
