import type { CID } from 'multiformats/cid'
import type { Representation } from '../../../platform/http/respond.ts'
import type { Denylist } from '../../denylist/denylist.ts'
import type { DagSource } from '../dag/dag-source.ts'
import type { ResolvedPath } from '../dag/resolve-path.ts'
import type { SubPath } from '../names/content-path.ts'
import type { Mount } from '../names/mount.ts'
import type { ResponseFormat } from './response-format.ts'

/** One request for content, its name already resolved to a root. */
export interface IpfsRequest {
  request: Request
  /** As the client wrote it, which may be another than the request's. Its query may lack what is not of the gateway. */
  url: URL
  /** The query as the client wrote it, with its `?`, for redirects: where `url` has another. */
  search?: string
  source: DagSource
  denied: Denylist
  mount: Mount
  root: CID
  /** Segments that the name itself pointed below the root (`/ipns/x` being `/ipfs/cid/dir`). */
  below?: readonly string[]
  path: SubPath
  /** The media type that its owner gave the root, where that is a file. */
  mediaType?: string
  /** Whether the client's own `Accept` may choose the format. */
  negotiates?: boolean
}

/** A request whose path was found. */
export interface FoundContent extends IpfsRequest {
  format: ResponseFormat
  resolved: ResolvedPath
}

/** What a path led to. */
export interface FoundPath {
  /** With every header except those of a single request; a redirect is a finished response. */
  representation: Representation | Response
  /** Every block that it was made of so far, for the denylist to be asked again; `undefined` for too many. */
  cids: readonly CID[] | undefined
}
