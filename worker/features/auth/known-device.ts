import { decodeJwt, errors } from 'jose'
import { LIFETIMES } from '../../../contract/lifetimes.ts'
import { unixSeconds } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Caller } from './find-caller.ts'
import { selectDeviceEpoch } from './sql/users.ts'
import type { TokenClaims } from './token-claims.ts'
import { verifyToken } from './verify-token.ts'

/** The device that a caller logged in on; nothing for an API key. */
export function deviceOf({ userId, authTime }: Pick<Caller, 'userId' | 'authTime'>): string | undefined {
  return authTime === undefined ? undefined : deviceName(userId, authTime)
}

/** The name of the device that somebody logged in on at `authTime` (Unix seconds): that login names it. */
function deviceName(userId: string, authTime: number): string {
  return `${userId} ${authTime}`
}

/**
 * What an earlier refresh token says of the device, or nothing for another text: it may have expired or been revoked, and
 * is at most 90 days old. Sends no query. `now` in milliseconds.
 */
export async function readDevice(
  config: Pick<Config, 'baseUrl' | 'tokenKeys'>,
  token: string | undefined,
  now: number,
): Promise<TokenClaims | undefined> {
  const iat = token === undefined ? undefined : issuedAt(token)
  if (token === undefined || iat === undefined || iat < unixSeconds(now) - LIFETIMES.knownDevice) return undefined
  // Held against the time when it was new: it may have expired since.
  const verdict = await verifyToken(token, 'refresh', config, iat)
  return verdict.valid && verdict.claims.iat <= unixSeconds(now) ? verdict.claims : undefined
}

/** The name of a device that this account is known on, or nothing for one of another account, or one that is older than its last reset. */
export async function knownDevice(
  db: D1Database,
  device: TokenClaims | undefined,
  userId: string | undefined,
): Promise<string | undefined> {
  if (!device || device.sub !== userId) return undefined
  const since = await selectDeviceEpoch(db, device.sub)
  return since === undefined || device.epoch < since ? undefined : deviceName(device.sub, device.auth_time)
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
