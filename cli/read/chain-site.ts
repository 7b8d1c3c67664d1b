import { type IpfsDirectoryEntry, siteEntries } from '../../client/read-ipfs.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'

/**
 * The entries at `path` of the website in transactions, with each block checked against its CID; `undefined` if they
 * contain something else, or if --raw requests the bytes themselves.
 * @throws {CommandError} 5 for a path in something that is no website
 */
export async function siteIn(
  { line }: Pick<Context, 'line'>,
  content: Uint8Array,
  path: string,
): Promise<AsyncGenerator<IpfsDirectoryEntry> | undefined> {
  const entries = line.has('raw') ? undefined : await siteEntries(content, path)
  if (entries || path === '') return entries
  throw new CommandError(EXIT.refused, 'not_a_site', 'These transactions contain one file, not a website with paths.', {
    hint: 'Leave out the path.',
  })
}
