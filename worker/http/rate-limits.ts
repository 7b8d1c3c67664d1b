/** What is counted by client address in each data centre, as wrangler.toml has it: requests in so many seconds. */
export const RATE_LIMITS = {
  read: { most: 6000, seconds: 60 },
  write: { most: 1800, seconds: 60 },
} as const

export type RateLimitName = keyof typeof RATE_LIMITS

/** The `RateLimit-Policy` of a limit (draft-ietf-httpapi-ratelimit-headers, 3): its name, quota and window in seconds. */
export function rateLimitPolicy(name: string, { most, seconds }: { most: number; seconds: number }): string {
  return `"${name}";q=${most};w=${seconds}`
}

/** The `RateLimit` of one that is used up (section 4 there): nothing is left for so many seconds. */
export function rateLimitUsedUp(name: string, seconds: number): string {
  return `"${name}";r=0;t=${seconds}`
}
