import { createHash } from 'node:crypto'

/** Bytes that are hashed as they pass; `sha256` in lowercase hex, of what passed before its first call. */
export interface HashedBytes {
  bytes: AsyncGenerator<Uint8Array>
  sha256(): string
}

/** Hashes content while it is read for something else. */
export function hashed(content: AsyncIterable<Uint8Array>): HashedBytes {
  const hash = createHash('sha256')
  async function* pass() {
    for await (const bytes of content) {
      hash.update(bytes)
      yield bytes
    }
  }
  let sha256: string | undefined
  return {
    bytes: pass(),
    sha256() {
      sha256 ??= hash.digest('hex')
      return sha256
    },
  }
}
