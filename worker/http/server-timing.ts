import type { CacheTier } from '../chain-content/read-content.ts'

/** `Server-Timing`: the tier that had the content, and the milliseconds spent at the node. */
export function serverTiming(tier: CacheTier, rpcMs: number): string {
  return tier === 'miss' ? `cache;desc=miss, rpc;dur=${rpcMs}` : `cache;desc=${tier}`
}
