import type { Blockchain } from '../protocol/chains.ts'
import { ReaderError } from '../reader/reader-error.ts'
import { type ReadChainOptions, readChainContent } from './read-chain-content.ts'
import { type IpfsDirectoryFile, siteFiles } from './read-ipfs.ts'

/**
 * Every file of the website that an ordered list of transactions holds (docs/formats.md, "A website"), with its path: each
 * transaction is hashed to its txid here, each block to its CID. With `path` only what is there, named relative to it; the
 * file itself as ''. Each file must be read, or left unread, before the next is asked for.
 * @throws {ReaderError} `not_a_site` where the content is none, `not_found`, and as {@link readChainContent}
 */
export async function* readChainSite(
  source: { blockchain: Blockchain; txids: readonly string[] },
  { path, ...options }: Omit<ReadChainOptions, 'as'> & { path?: string | undefined },
): AsyncGenerator<IpfsDirectoryFile> {
  const files = await siteFiles(await readChainContent(source, options), path)
  if (!files)
    throw new ReaderError('not_a_site', 'The transactions hold no website; readChainContent reads what they hold.')
  yield* files
}
