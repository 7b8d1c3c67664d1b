import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync } from 'node:zlib'
import { initSync } from 'brotli-dec-wasm/web'
import { expect, it, onTestFinished, vi } from 'vitest'
import { decodeWithWasm } from '../../reader/brotli/decode-with-wasm.ts'

const wasm = readFileSync(createRequire(import.meta.url).resolve('brotli-dec-wasm/web/bg.wasm'))
initSync({ module: new WebAssembly.Module(new Uint8Array(wasm)) })

it('Brotli that is cut, and Brotli with more behind it, is no whole stream', async () => {
  const stored = brotliCompressSync('What a chain holds, compressed. '.repeat(5000))
  expect(await decodeWithWasm(new Uint8Array(stored).subarray(0, -3), 1 << 20)).toBeUndefined()
  expect(await decodeWithWasm(new Uint8Array([...stored, 0]), 1 << 20)).toBeUndefined()
})

it('Brotli is decoded in steps of a quarter of a mebibyte, between which a page can do something else', async () => {
  const pause = vi.fn(async () => {})
  vi.stubGlobal('scheduler', { yield: pause })
  onTestFinished(() => void vi.unstubAllGlobals())
  const large = new Uint8Array(3 << 20).map((_, index) => index % 251)
  expect(await decodeWithWasm(new Uint8Array(brotliCompressSync(large)), 4 << 20)).toEqual(large)
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(11)
})
