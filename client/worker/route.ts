import { parseMediaType } from '../../contract/media-type.ts'
import { type Blockchain, isBlockchain } from '../../protocol/chains.ts'
import { ReaderError } from '../../reader/reader-error.ts'

/** What a URL below `/hookline/` names. */
export type Route = { type: string | undefined } & (
  | { kind: 'ipfs'; place: string }
  | { kind: 'chain'; blockchain: Blockchain; txids: readonly string[]; path: string }
)

/** The folder below the worker's scope whose URLs it answers. */
const FOLDER = 'hookline/'

/** Whether a URL is one that the worker of this scope answers; all others it does not touch. */
export function isBelow(scope: string, url: string): boolean {
  return url.startsWith(scope + FOLDER)
}

/**
 * `<chain>/<txids>[/path]` or `ipfs/<cid>[/path]` behind the folder; `?type=` overrides the media type.
 * @throws {ReaderError} `invalid_source`
 */
export function parseRoute(scope: string, url: string): Route {
  const { pathname, searchParams } = new URL(url)
  const rest = pathname.slice(new URL(scope + FOLDER).pathname.length)
  const named = searchParams.get('type')
  const type = named === null ? undefined : parseMediaType(named)
  if (named !== null && type === undefined) throw new ReaderError('invalid_source', 'type= is no media type.')
  const [kind = '', what = '', ...names] = rest.split('/')
  if (kind === 'ipfs') return { type, kind, place: [what, ...names].join('/') }
  if (!isBlockchain(kind)) {
    throw new ReaderError('invalid_source', 'The path is neither <chain>/<txid>,<txid>… nor ipfs/<cid>.')
  }
  return {
    type,
    kind: 'chain',
    blockchain: kind,
    txids: what.replaceAll(/%2c/gi, ',').split(','),
    path: names.join('/'),
  }
}
