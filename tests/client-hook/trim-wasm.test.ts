import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync } from 'node:zlib'
import { initSync } from 'brotli-dec-wasm/web'
import { describe, expect, it } from 'vitest'
import { decodeWithWasm } from '../../reader/brotli/decode-with-wasm.ts'
import { trimWasm } from '../../scripts/trim-wasm.ts'

/**
 * Functions `zero` to `three`, all exported: `zero` gives what `one` does, the others their own number. A table has `two`,
 * and a custom section says who made it.
 */
const NUMBERS = Buffer.from(
  '0061736d0100000000090262796e6f626f64790105016000017f03050400000000040401700001071c04047a65726f0000036f6e650001' +
    '0374776f000205746872656500030907010041000b01020a1504040010010b040041010b040041020b040041030b',
  'hex',
)
/** A function `zero` that has a vector of 16 bytes. */
const SIMD = Buffer.from(
  '0061736d010000000105016000017f03020100070801047a65726f00000a18011600fd0c00000000000000000000000000000000fd530b',
  'hex',
)

describe('trimmed WebAssembly', () => {
  it('has the exports that are used, what these and the tables call, and nothing of the others', () => {
    const trimmed = trimWasm(NUMBERS, (name) => name === 'zero')
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(trimmed)))
    expect(Object.keys(exports)).toEqual(['zero'])
    expect(typeof exports.zero === 'function' && exports.zero()).toBe(1)
    const has = (text: string) => trimmed.includes(Buffer.from(text, 'hex'))
    expect([has('41010b'), has('41020b'), has('41030b'), trimmed.includes('nobody')]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('is refused where it has what is not read', () => {
    expect(() => trimWasm(SIMD, () => true)).toThrow('instruction 253 is not read')
  })

  it('decodes Brotli as it did, 3 KB shorter', async () => {
    const wasm = readFileSync(createRequire(import.meta.url).resolve('brotli-dec-wasm/web/bg.wasm'))
    const trimmed = trimWasm(wasm, (name) => !/^(brotli_dec|decompress.*)$/.test(name))
    expect(trimmed.length).toBeLessThan(wasm.length - 3000)
    initSync({ module: new WebAssembly.Module(new Uint8Array(trimmed)) })
    const text = 'What a chain holds, compressed. '.repeat(5000)
    const decoded = await decodeWithWasm(new Uint8Array(brotliCompressSync(text)), 1 << 20)
    expect(decoded instanceof Uint8Array && new TextDecoder().decode(decoded)).toBe(text)
    expect(await decodeWithWasm(Uint8Array.of(1, 2, 3), 1 << 20)).toBeUndefined()
  })
})
