import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { makePrivateFolder } from '../../client/stores/private-folder.ts'
import type { Context } from '../run/context.ts'

const LEFT_OVER_MS = 86_400_000

/**
 * Writes stdin to a temporary file, because an order is identified by its content. The returned function removes the
 * file. A later run removes the file of a run that was killed.
 */
export async function spoolStdin(
  { stdin, signal, now }: Pick<Context, 'stdin' | 'signal' | 'now'>,
  stateFolder: string,
): Promise<{ source: string; remove: () => Promise<void> }> {
  const folder = join(stateFolder, 'stdin')
  await makePrivateFolder(folder)
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const age = await stat(path).then(
      ({ mtimeMs }) => now() - mtimeMs,
      () => 0,
    )
    if (age > LEFT_OVER_MS) await rm(path, { force: true })
  }
  const source = join(folder, randomUUID())
  await pipeline(stdin, createWriteStream(source, { mode: 0o600 }), { signal })
  return { source, remove: () => rm(source, { force: true }) }
}
