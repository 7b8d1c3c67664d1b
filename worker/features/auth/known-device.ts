import { decodeJwt, errors } from 'jose'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Caller } from './find-caller.ts'
import { selectDeviceEpoch } from './sql/users.ts'
import { KNOWN_DEVICE } from './token-claims.ts'
import { verifyToken } from './verify-token.ts'

/** The device that a caller logged in on; nothing for an API key. */
export function deviceOf({ userId, authTime }: Pick<Caller, 'userId' | 'authTime'>): string | undefined {
  return authTime === undefined ? undefined : deviceName(userId, authTime)
}

/** The name of the device that somebody logged in on at `authTime` (Unix seconds): it goes by that login. */
function deviceName(userId: string, authTime: number): string {
  return `${userId} ${authTime}`
}

/**
 * The name of the device that an earlier refresh token of this account shows, or nothing where it shows none: also one
 * that has expired or was revoked, at most 90 days old, and of after the last reset of the password. `now` in
 * milliseconds.
 */
export async function knownDevice(
  db: D1Database,
  config: Pick<Config, 'baseUrl' | 'tokenKeys'>,
  given: { userId: string | undefined; token: string | undefined },
  now: number,
): Promise<string | undefined> {
  if (given.token === undefined) return undefined
  const iat = issuedAt(given.token)
  if (iat === undefined || iat < unixSeconds(now) - KNOWN_DEVICE) return undefined
  // Held against the time when it was new: it may have expired since.
  const verdict = await verifyToken(given.token, 'refresh', config, iat)
  if (!verdict.valid || verdict.claims.iat > unixSeconds(now) || verdict.claims.sub !== given.userId) return undefined
  const { sub, epoch, auth_time: authTime } = verdict.claims
  const since = await selectDeviceEpoch(db, sub)
  return since === undefined || epoch < since ? undefined : deviceName(sub, authTime)
}

/** What a token says of when it was made, not verified. */
function issuedAt(token: string): number | undefined {
  try {
    const { iat } = decodeJwt(token)
    return Number.isSafeInteger(iat) ? iat : undefined
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
