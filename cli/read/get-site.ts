import { join } from 'node:path'
import type { IpfsDirectoryFile } from '../../client/read-ipfs.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { getBytes, type Written } from './get-file.ts'
import { writeToStdout } from './write-to-stdout.ts'

/** Where the bytes are written: a path, or stdout. */
export type Place = { path: string } | 'stdout'

/**
 * Writes the files of a website, or a single file to stdout.
 * @throws {CommandError} 2 for a folder on stdout, 5 if a different file exists
 */
export async function getSite(
  context: Context,
  files: AsyncIterable<IpfsDirectoryFile>,
  place: Place,
  force: boolean,
): Promise<Written[]> {
  const written: Written[] = []
  for await (const file of files) {
    if (place === 'stdout' && file.path !== '')
      throw usageError(
        'This is a folder.',
        'Name the folder to write with -o, or add a slash and the path of one file.',
      )
    const bytes = await file.bytes()
    if (place === 'stdout') return toStdout(context, bytes)
    written.push(await getBytes(join(place.path, file.path), bytes, { force }))
    context.output.step({ step: 'writing', done: written.length, unit: 'files' })
  }
  context.output.endStep()
  return written
}

export async function toStdout(context: Context, bytes: Uint8Array): Promise<Written[]> {
  await writeToStdout(context, [bytes])
  return [{ path: '', bytes: bytes.length, how: 'written' }]
}
