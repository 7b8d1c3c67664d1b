/** How the requested URL names a content root: links and headers depend on it. */
export interface Mount {
  namespace: 'ipfs' | 'ipns'
  /** `/ipfs/<cid>` or `/ipns/<name>`, as the client spelled it: what `X-Ipfs-Path` begins with. */
  contentPath: string
  /** The canonical root for `Ipfs-Uri`; `undefined` if IPIP-548 defines none. */
  authority: string | undefined
  /** What the paths of links begin with: as `contentPath` on a path gateway, empty on an origin of its own. */
  linkPrefix: string
  /** The root is alone on its origin: `_redirects` count, and scripts may run. */
  ownOrigin: boolean
  /** Where other CIDs can be requested, as `//host`; empty for here, `undefined` for nowhere (DNSLink sites). */
  gatewayUrl: string | undefined
  /**
   * The host is of an item, or of a site or domain that shows one: the links of a listing's heading stay on it, and it
   * keeps some names. A website's folders are never listed there, and on the second no folder is.
   */
  itemHost?: 'item' | 'site'
  /** It is shown as a website: the first page of a directory may have another name than `index.html` (`findIndexName`). */
  isSite?: true
  /** `Cache-Control` of what a name points to; `undefined` where it must not be sent. */
  cacheControl: string | undefined
}

/** `Cache-Control` of everything that a CID names (Path Gateway specification). */
const CID_CACHE_CONTROL = 'public, max-age=29030400, immutable'

/** The parts of a mount that do not depend on its root: the host and the prefix of the request. */
export type MountPlace = Pick<Mount, 'linkPrefix' | 'ownOrigin' | 'gatewayUrl' | 'itemHost' | 'isSite'>

/** The mount of a root by its canonical CID; `spelled` is how the client wrote it. */
export function mountCid(cid: string, place: MountPlace, spelled = cid): Mount {
  return {
    ...place,
    namespace: 'ipfs',
    contentPath: `/ipfs/${spelled}`,
    authority: cid,
    cacheControl: CID_CACHE_CONTROL,
  }
}

/** The mount of the target of a name, which is valid for `ttl` seconds. */
export function mountName(name: string, ttl: number, place: MountPlace): Mount {
  const cacheControl = `public, max-age=${ttl}`
  return { ...place, namespace: 'ipns', contentPath: `/ipns/${name}`, authority: name, cacheControl }
}
