import type { Sha256 } from '../../reader/chain/verify-transaction.ts'
import { type ChainSite, openChainSite } from '../../reader/ipfs/chain-site.ts'
import { openIpfsFile } from '../../reader/ipfs/open-ipfs.ts'
import { knownMediaType } from '../../reader/media-type-of.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import type { OpenContent } from './content.ts'

/** By content that is kept, so that each of its blocks is checked once. */
const opened = new WeakMap<Uint8Array, Promise<ChainSite | undefined>>()

/** A file of the website in the content of transactions. @throws {ReaderError} `not_a_site`, `not_found`, `not_a_file` */
export async function openSiteFile(content: Uint8Array, path: string, sha256: Sha256): Promise<OpenContent> {
  const opening = opened.get(content) ?? openChainSite(content, sha256)
  opened.set(content, opening)
  const site = await opening
  if (!site) throw new ReaderError('not_a_site', 'The transactions hold one file, not a website with paths.')
  const { root, reader } = site
  const { cid, size } = await openIpfsFile(reader, `${root}/${path}`)
  return {
    size,
    etag: `"${cid}"`,
    type: knownMediaType(path),
    async *read({ start, end }) {
      yield* (await openIpfsFile(reader, `${root}/${path}`, start, end)).stream()
    },
  }
}
