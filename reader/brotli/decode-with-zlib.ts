import type { DecodeBrotli } from './decode-content.ts'

/** What is used of `node:zlib`. */
export interface Zlib {
  brotliDecompressSync(bytes: Uint8Array, options: { maxOutputLength: number; info: boolean }): unknown
}

/** `node:zlib` of the runtime, if it has `process.getBuiltinModule`: Node 20.16, Deno, Bun, Workers with `nodejs_compat`. */
export function builtinZlib(): Zlib | undefined {
  const process: unknown = Reflect.get(globalThis, 'process')
  if (typeof process !== 'object' || process === null || !('getBuiltinModule' in process)) return undefined
  const { getBuiltinModule } = process
  if (typeof getBuiltinModule !== 'function') return undefined
  try {
    const zlib: unknown = getBuiltinModule.call(process, 'node:zlib')
    return isZlib(zlib) ? zlib : undefined
  } catch {
    return undefined
  }
}

function isZlib(value: unknown): value is Zlib {
  return typeof value === 'object' && value !== null && 'brotliDecompressSync' in value
}

/** Decodes with `node:zlib`. */
export function decodeWithZlib(zlib: Zlib): DecodeBrotli {
  return async (bytes, maxBytes) => {
    try {
      // `info` adds the engine, the only source of how much input the stream used.
      const outcome: unknown = zlib.brotliDecompressSync(bytes, { maxOutputLength: maxBytes, info: true })
      if (typeof outcome !== 'object' || outcome === null) return undefined
      const engine: unknown = 'engine' in outcome ? outcome.engine : undefined
      const buffer: unknown = 'buffer' in outcome ? outcome.buffer : undefined
      const consumed: unknown = engine instanceof Object && 'bytesWritten' in engine ? engine.bytesWritten : undefined
      return buffer instanceof Uint8Array && consumed === bytes.length ? new Uint8Array(buffer) : undefined
    } catch (error) {
      return error instanceof RangeError ? 'too large' : undefined
    }
  }
}
