import type { DecodeBrotli } from '../reader/brotli/decode-content.ts'
import { decodeWithStream, hasBrotliStream } from '../reader/brotli/decode-with-stream.ts'
import { builtinZlib, decodeWithZlib } from '../reader/brotli/decode-with-zlib.ts'
import { ReaderError } from '../reader/reader-error.ts'

let decoder: Promise<DecodeBrotli> | undefined

/**
 * Decodes Brotli with `node:zlib`, with the runtime's `DecompressionStream`, or with the WebAssembly of this package.
 */
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
    const message = 'This runtime has no Brotli decoder, and WebAssembly is not allowed here.'
    throw new ReaderError('brotli_unavailable', message, cause)
  }
}
