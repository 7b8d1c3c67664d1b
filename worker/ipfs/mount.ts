/** How a content root came to be under the URL that was asked for: links and headers depend on it. */
export interface Mount {
  namespace: 'ipfs' | 'ipns'
  /** `/ipfs/<cid>` or `/ipns/<name>`, as the client spelled it: what `X-Ipfs-Path` begins with. */
  contentPath: string
  /** The canonical root for `Ipfs-Uri`; `undefined` where IPIP-548 gives it none. */
  authority: string | undefined
  /** What the paths of links begin with: as `contentPath` on a path gateway, empty on an origin of its own. */
  linkPrefix: string
  /** The root is alone on its origin: `_redirects` count, and scripts may run. */
  ownOrigin: boolean
  /** Where other CIDs can be asked for, as `//host`; empty for here, `undefined` for nowhere (DNSLink sites). */
  gatewayUrl: string | undefined
  /** `Cache-Control` of what a name points to; `undefined` where it must not be sent. */
  cacheControl: string | undefined
}

/** `Cache-Control` of everything that a CID names (Path Gateway specification). */
export const IMMUTABLE = 'public, max-age=29030400, immutable'
