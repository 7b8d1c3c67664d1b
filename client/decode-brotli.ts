import type { DecodeBrotli } from '../reader/brotli/decode-content.ts'
import { decodeWithStream, hasBrotliStream } from '../reader/brotli/decode-with-stream.ts'
import { builtinZlib, decodeWithZlib } from '../reader/brotli/decode-with-zlib.ts'
import { ReaderError } from '../reader/reader-error.ts'

let decoder: Promise<DecodeBrotli> | undefined

/** Brotli by what the runtime has: `node:zlib`, its `DecompressionStream`, or the WebAssembly that comes along. */
export const decodeBrotli: DecodeBrotli = async (bytes, maxBytes) => {
  decoder ??= chooseDecoder().catch((error) => {
    decoder = undefined
    throw error
  })
  return (await decoder)(bytes, maxBytes)
}

async function chooseDecoder(): Promise<DecodeBrotli> {
  const zlib = builtinZlib()
  if (zlib) return decodeWithZlib(zlib)
  if (hasBrotliStream()) return decodeWithStream
  try {
    const { startWasm } = await import('./brotli-wasm.ts')
    return await startWasm()
  } catch (cause) {
    const message = 'There is no Brotli decoder: this runtime has none, and WebAssembly is not allowed here.'
    throw new ReaderError('brotli_unavailable', message, cause)
  }
}
