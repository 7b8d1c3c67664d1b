import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { HooklineError } from '../http/api-error.ts'
import type { ByteSource } from '../put/put-content.ts'

/**
 * A file on this machine that must not change while it is stored. It is read twice, to hash it and to send it. If a
 * range differs the second time the read fails; otherwise a mixture would be stored under the first digest.
 */
export function localSource(path: string, size: number): ByteSource {
  const seen = new Map<string, string>()
  let changedAt: bigint | undefined
  return {
    size,
    async read(start, end) {
      const { ctimeNs } = await stat(path, { bigint: true })
      changedAt ??= ctimeNs
      const bytes = await readRange(path, start, end - start)
      const range = `${start}-${end}`
      const digest = createHash('sha256').update(bytes).digest('base64')
      const before = seen.get(range)
      // A file whose times alone changed is still the same. If this range was not hashed before, nothing can prove
      // that, so it counts as changed.
      if (before === undefined ? ctimeNs !== changedAt : before !== digest) {
        throw new HooklineError('content_changed', `${path} changed while it was being stored. Run the same again.`)
      }
      seen.set(range, digest)
      return bytes
    },
  }
}

/** A range of a file; shorter if the file ends first. */
export async function readRange(path: string, start: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const file = await open(path)
  try {
    const bytes = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  } finally {
    await file.close()
  }
}
