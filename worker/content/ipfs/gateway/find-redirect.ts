import { MAX_SITE_FILE_BYTES } from '../../../../contract/limits.ts'
import { decodeText } from '../../../../protocol/decode-text.ts'
import { readSized } from '../../../platform/http/read-sized.ts'
import type { Representation } from '../../../platform/http/respond.ts'
import { refuseDenied } from '../../denylist/denylist.ts'
import { invalidDag } from '../dag/invalid-dag.ts'
import { readFile } from '../dag/read-file.ts'
import { type ResolvedPath, resolvePath } from '../dag/resolve-path.ts'
import { countSent } from '../formats/count-sent.ts'
import type { FoundPath, IpfsRequest } from '../formats/found-content.ts'
import { represent } from '../formats/represent.ts'
import { representFile } from '../formats/represent-file.ts'
import { responseFormat } from '../formats/response-format.ts'
import { parseSubPath, type SubPath } from '../names/content-path.ts'
import { setContentHeaders } from './content-headers.ts'
import {
  invalidRedirects,
  keepQuery,
  matchRedirect,
  parseRedirects,
  type RedirectRule,
  redirectsTooLarge,
} from './redirects.ts'

/**
 * What the root's `_redirects` says about a path that does not exist; `undefined` when there is no such file, or no
 * rule of it matches, or a rule rewrites to what does not exist either.
 * @throws {AppError} 500 for a file that cannot be used.
 */
export async function findRedirect(asked: IpfsRequest): Promise<FoundPath | undefined> {
  const rules = await readRedirects(asked)
  const match = rules && matchRedirect(rules, asked.path.segments)
  if (!match) return undefined
  const { to, status } = match
  switch (status) {
    case 200:
    case 404:
    case 410:
    case 451: {
      // A rewrite is to a path; its query and fragment mean nothing to a directory.
      const [target = ''] = to.split(/[?#]/)
      return findPage(asked, parseSubPath(target), status)
    }
    default: {
      const { url, search = url.search } = asked
      const headers = { Location: keepQuery(to, search) }
      return { representation: new Response(null, { status, headers }), cids: [] }
    }
  }
}

/** A page of the site under another status or path than its own; `undefined` when it does not exist. */
export async function findPage(
  asked: IpfsRequest,
  path: SubPath,
  status: Representation['status'],
): Promise<FoundPath | undefined> {
  const resolved = await resolvePath(asked.source, asked.root, [...(asked.below ?? []), ...path.segments])
  if ('missing' in resolved) return undefined
  refuseDenied(asked.denied, { cids: resolved.roots })
  const representation = await representPage(asked, path, resolved, status)
  if (!representation) return undefined
  setContentHeaders(representation.headers, asked, resolved.roots)
  return { representation: countSent(representation, asked.source.budget), cids: asked.source.given }
}

async function representPage(
  asked: IpfsRequest,
  path: SubPath,
  resolved: ResolvedPath,
  status: Representation['status'],
): Promise<Representation | Response | undefined> {
  // As a browser asks for it, whatever the client accepts.
  const format = responseFormat(new URLSearchParams(), 'text/html')
  // The slash has been seen to: a rewrite must not answer with a redirect to a path that the client never asked for.
  const found = { ...asked, format, resolved, path: { ...path, slash: true } }
  if (status === 200) return represent(found)
  const { node } = resolved
  if (node.kind !== 'file') throw invalidDag(node.cid, 'is to be shown in place of what is missing, and is no file')
  return representFile(found, node, { status })
}

async function readRedirects(asked: IpfsRequest): Promise<RedirectRule[] | undefined> {
  const text = await readRedirectsText(asked)
  return text === undefined ? undefined : parseRedirects(text)
}

/**
 * The `_redirects` file of a directory as text; `undefined` where there is none.
 * @throws {AppError} 500 for one that is too large, or no file.
 */
export async function readRedirectsText({
  source,
  root,
  below = [],
}: Pick<IpfsRequest, 'source' | 'root' | 'below'>): Promise<string | undefined> {
  const resolved = await resolvePath(source, root, [...below, '_redirects'])
  if ('missing' in resolved) return undefined
  const { node } = resolved
  if (node.kind !== 'file') throw invalidRedirects('it is not a file')
  if (node.size > MAX_SITE_FILE_BYTES) throw redirectsTooLarge()
  const bytes = await readSized(readFile(source, node, { start: 0, end: node.size - 1 }), node.size)
  return decodeText(bytes)
}
