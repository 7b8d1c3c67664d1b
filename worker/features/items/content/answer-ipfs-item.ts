import type { Context } from 'hono'
import { CID } from 'multiformats/cid'
import { DIRECTORY, mediaTypeEssence } from '../../../../contract/media-type.ts'
import { denylist } from '../../../content/denylist/denylist.ts'
import { contentDisposition } from '../../../content/ipfs/formats/content-disposition.ts'
import { answerFound } from '../../../content/ipfs/gateway/answer-ipfs.ts'
import type { RootPath } from '../../../content/ipfs/gateway/find-root-path.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { respond } from '../../../platform/http/respond.ts'
import type { StoredItem } from '../sql/stored-items.ts'
import { bindToItem } from './bind-to-item.ts'
import { asRetyped } from './retyped.ts'

/** An item that is read by its CID: on IPFS, a directory on a chain, or a file of one. */
export type IpfsItem = StoredItem & { cid: string }

/**
 * An item on IPFS as the file that it is, with the item's own media type; a directory is its `index.html` or its
 * listing. Ranges, entity tags and 304 as the gateway has them.
 * @throws {AppError} 404, 451, 502, 504.
 */
export async function answerIpfsItem(c: Context<AppEnv>, item: IpfsItem): Promise<Response> {
  const response = await answerFound(c, asRetyped(item, await findItem(c, item, c.req.raw.headers)))
  bindToItem(c, item)
  return response
}

/** What a directory has at `path`, as it is in the address; links begin with `linkPrefix`. @throws as {@link answerIpfsItem}. */
export async function answerItemPath(
  c: Context<AppEnv>,
  item: IpfsItem,
  { linkPrefix, path }: { linkPrefix: string; path: string },
): Promise<Response> {
  const { parseSubPath } = await import('../../../content/ipfs/names/content-path.ts')
  const place = { path: parseSubPath(path), linkPrefix, url: new URL(c.req.url) }
  const response = await answerFound(c, await findBelow(c, item, c.req.raw.headers, place))
  bindToItem(c, item)
  return response
}

/**
 * HEAD of an item on IPFS in hex digits, where only its blocks determine the length: {@link isMeasuredByDag}.
 * @throws {AppError} 404, 451, 502, 504.
 */
export async function answerIpfsItemHex(c: Context<AppEnv>, item: IpfsItem): Promise<Response> {
  const { asHex } = await import('../../../content/ipfs/gateway/find-hex-path.ts')
  const { representation } = await findItem(c, item, new Headers())
  return await respond(c.req.raw, { ...representation, ...asHex(representation), ranges: false })
}

/**
 * Whether the row of an item says nothing of the length of its content: a directory on IPFS is its index, a CAR what is in
 * it.
 */
export function isMeasuredByDag(item: StoredItem): item is IpfsItem {
  if (item.cid === undefined || item.txids.length > 0) return false
  return item.mimetype === DIRECTORY || item.kind === 'car'
}

async function findBelow(c: Context<AppEnv>, item: IpfsItem, headers: Headers, place: Omit<RootPath, 'root'>) {
  const { env, executionCtx: ctx } = c
  const { method, cf } = c.req.raw
  const [{ openBlocks }, { findRootPath }] = await Promise.all([
    import('../../../content/ipfs/blocks/open-blocks.ts'),
    import('../../../content/ipfs/gateway/find-root-path.ts'),
  ])
  const denied = await denylist(env, ctx)
  // It also has the codings that the client accepts, which do not count where its headers do not.
  const asked = { method, headers, ...(cf && headers === c.req.raw.headers ? { cf } : {}) }
  return await findRootPath(asked, { root: CID.parse(item.cid), ...place }, openBlocks({ env, ctx }, denied), denied)
}

async function findItem(c: Context<AppEnv>, item: IpfsItem, headers: Headers) {
  const linkPrefix = `/ipfs/${item.cid}`
  // The query is ignored: an item is one file.
  const url = new URL(`${linkPrefix}/`, c.req.url)
  const { mimetype: mediaType } = item
  const place = { path: { segments: [], slash: true }, linkPrefix, url, mediaType }
  const found = await findBelow(c, item, headers, place)
  const { representation } = found
  // The path ends in a slash, so there is no redirect.
  if (representation instanceof Response) throw new TypeError(`A redirect stands for ${linkPrefix}`)
  // A directory is answered with a page, which a browser would save as a file by the directory's own type.
  if (representation.status === 200 && item.mimetype !== DIRECTORY) setHeadersOfOwner(representation.headers, item)
  return { ...found, representation }
}

/**
 * What the owner of an item said of its file: its media type, which the file has already, with the charset of its bytes,
 * and the name that it is saved by.
 */
export function setHeadersOfOwner(headers: Headers, { name, mimetype }: Pick<StoredItem, 'name' | 'mimetype'>): void {
  const type = headers.get('Content-Type') ?? ''
  if (mediaTypeEssence(type) !== mediaTypeEssence(mimetype)) headers.set('Content-Type', mimetype)
  headers.set('Content-Disposition', contentDisposition('inline', name))
}
