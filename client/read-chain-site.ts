import type { Blockchain } from '../protocol/chains.ts'
import { ReaderError } from '../reader/reader-error.ts'
import { type ReadChainOptions, readChainContent } from './read-chain-content.ts'
import { filesOf, type IpfsDirectoryFile, siteEntries } from './read-ipfs.ts'

/**
 * Every file of the website in an ordered list of transactions (docs/formats.md, "A website"), with its path: each
 * transaction is checked against its txid, each block against its CID. With `path` only what is below it, with relative
 * paths; the file itself as ''. Each file must be read or skipped before the next one is requested.
 * @throws {ReaderError} `not_a_site` if the content is no website, `not_found`, and as {@link readChainContent}
 */
export async function* readChainSite(
  source: { blockchain: Blockchain; txids: readonly string[] },
  { path, ...options }: Omit<ReadChainOptions, 'as'> & { path?: string | undefined },
): AsyncGenerator<IpfsDirectoryFile> {
  const entries = await siteEntries(await readChainContent(source, options), path)
  if (!entries)
    throw new ReaderError(
      'not_a_site',
      'The transactions contain no website. Use readChainContent to read their content.',
    )
  yield* filesOf(entries)
}
