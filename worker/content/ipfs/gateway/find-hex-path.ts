import { AppError } from '../../../platform/http/errors.ts'
import type { Representation } from '../../../platform/http/respond.ts'
import { hexBody } from '../../chain/hex-body.ts'
import type { FoundPath, IpfsRequest } from '../formats/found-content.ts'
import { findIpfsPath } from './find-ipfs-path.ts'

/**
 * A file as lower-case hex digits; other formats and encodings of the request are ignored. For a directory, its
 * `index.html`.
 * @throws {AppError} 400 for a directory without one, and as `findIpfsPath` does.
 */
export async function findHexPath(asked: IpfsRequest): Promise<FoundPath> {
  const url = new URL(asked.url)
  url.search = ''
  const request = new Request(asked.request.url, { method: asked.request.method })
  const own = { ...asked, url, request, negotiates: false }
  const there = await findIpfsPath({ ...own, path: { ...asked.path, slash: false } })
  // A directory is sent to its path with a slash, where its index.html is.
  const directory = there.representation instanceof Response
  const { representation, cids } = directory
    ? await findIpfsPath({ ...own, path: { ...asked.path, slash: true } })
    : there
  if (representation instanceof Response || representation.etag.startsWith('"DirIndex')) {
    throw new AppError(400, 'not_a_file', 'This is a directory without an index.html. Ask for a file in it.')
  }
  const headers = new Headers(representation.headers)
  headers.set('Content-Type', 'text/plain')
  headers.delete('Vary')
  return { representation: { status: 200, headers, ...asHex(representation) }, cids }
}

/** Content as lower-case hex digits, with a tag of its own. */
export function asHex({ etag, body }: Representation): Pick<Representation, 'etag' | 'body'> {
  const hex = body instanceof Uint8Array || body.kind === 'file' ? hexBody('', body, '') : body
  return { etag: etag.replace(/"$/, '.hex"'), body: hex }
}
