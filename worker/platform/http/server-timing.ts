/** Where content was found: this isolate, the cache of this data centre, our R2 bucket, or none of them. */
export type CacheTier = 'memory' | 'edge' | 'r2' | 'miss'

/** `Server-Timing`: the tier that had the content, and the milliseconds of requests to the node. */
export function serverTiming(tier: CacheTier, rpcMs = 0): string {
  return tier === 'miss' ? `cache;desc=miss, rpc;dur=${rpcMs}` : `cache;desc=${tier}`
}
