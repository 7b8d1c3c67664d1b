import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { HooklineError } from '../http/api-error.ts'
import type { ByteSource } from '../store/put-content.ts'

/**
 * A file on this machine that must not change while it is stored. It is read twice, to hash it and to send it. If a
 * range differs the second time the read fails; otherwise a mixture would be stored under the first digest. So it does
 * if the file is no longer there, or had another size at the first read.
 */
export function localSource(path: string, size: number): ByteSource {
  const seen = new Map<string, string>()
  let changedAt: bigint | undefined
  const changed = (how: string) =>
    new HooklineError('content_changed', `${path} ${how} while it was being stored. Run the same again.`)
  const removed = (error: unknown): never => {
    throw isMissing(error) ? changed('was removed') : error
  }
  return {
    size,
    async read(start, end) {
      const { ctimeNs, size: now } = await stat(path, { bigint: true }).catch(removed)
      if (changedAt === undefined && now !== BigInt(size)) throw changed('changed')
      changedAt ??= ctimeNs
      const bytes = await readRange(path, start, end - start).catch(removed)
      const range = `${start}-${end}`
      const digest = createHash('sha256').update(bytes).digest('base64')
      const before = seen.get(range)
      // A file whose times alone changed is still the same. If this range was not hashed before, nothing can prove
      // that, so it counts as changed.
      if (before === undefined ? ctimeNs !== changedAt : before !== digest) {
        throw changed('changed')
      }
      seen.set(range, digest)
      return bytes
    },
  }
}

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

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
