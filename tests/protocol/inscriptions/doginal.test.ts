import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { push, writeDoginal } from '../../../devnet/others/write-inscription.ts'
import { concatBytes, fromHex } from '../../../protocol/bytes.ts'
import { beginDoginal, continueDoginal, joinParts } from '../../../protocol/inscriptions/doginal.ts'
import { decodeTransaction, txidBytes } from '../../../protocol/transaction.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('a doginal', () => {
  it('of one transaction is read whole from a real one', () => {
    const hex = readFileSync(new URL('../fixtures/doginal-1225e74a.hex', import.meta.url), 'utf8').trim()
    const [first] = decodeTransaction(fromHex(hex) ?? new Uint8Array(0)).inputs
    const doginal = beginDoginal(first?.script ?? new Uint8Array(0))
    expect(doginal).toMatchObject({ type: 'text/plain;charset=utf-8', missing: 0 })
    expect(doginal && text(joinParts(doginal))).toBe('{"p":"drc-20","op":"transfer","tick":"tfln","amt":"50"}')
  })

  it('of three transactions is whole once the last is read, with up to 300 parts in numbers of two bytes', () => {
    const body = new TextEncoder().encode('0123456789'.repeat(30))
    const [first = body, ...rest] = writeDoginal('text/plain', body, { partBytes: 1, partsEach: 100 })
    const begun = beginDoginal(first)
    expect(begun?.missing).toBe(200)
    const whole = rest.reduce((doginal, script) => doginal && continueDoginal(doginal, script), begun)
    expect(whole?.missing).toBe(0)
    expect(whole && joinParts(whole)).toEqual(body)
  })

  it('is not continued by another part than the next', () => {
    const [first, second, third] = writeDoginal('a/b', new Uint8Array(30), { partBytes: 10, partsEach: 1 })
    const begun = first && beginDoginal(first)
    expect(begun && third && continueDoginal(begun, third)).toBe(undefined)
    expect(begun && second && continueDoginal(begun, second)?.missing).toBe(1)
    expect(begun && continueDoginal(begun, concatBytes([push('other')]))).toBe(undefined)
  })

  it('may name a delegate behind its last part', () => {
    const [script = new Uint8Array(0)] = writeDoginal('a/b', new Uint8Array(0), { partBytes: 1, partsEach: 1 })
    const value = concatBytes([txidBytes('ab'.repeat(32)), Uint8Array.of(2)])
    const doginal = beginDoginal(concatBytes([script, Uint8Array.of(0x5b), push(value)]))
    expect(doginal?.delegate).toEqual({ txid: 'ab'.repeat(32), index: 2 })
  })

  it('is none in other scripts, whatever their bytes', () => {
    expect(beginDoginal(concatBytes([push('ord'), Uint8Array.of(0), push('a/b')]))).toBe(undefined)
    expect(beginDoginal(concatBytes([push('ora'), Uint8Array.of(0x51), push('a/b')]))).toBe(undefined)
    expect(beginDoginal(new Uint8Array(20_000).fill(0x51))).toBe(undefined)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (rest) => {
        const begun = beginDoginal(concatBytes([push('ord'), Uint8Array.of(0x52), push('a/b'), rest]))
        if (begun) continueDoginal(begun, rest)
      }),
    )
  })
})
