import { AmountError, parseAmount } from '../../../../protocol/amount.ts'
import { isBlockchain } from '../../../../protocol/chains.ts'
import { unixSeconds } from '../../../platform/clock.ts'
import { invalidField } from '../../../platform/http/errors.ts'
import { parseName } from '../parse-name.ts'
import { type ApiKey, SCOPES, type Spending } from '../sql/api-keys.ts'

/** No key lives longer than this, unless it has no end at all; seconds. */
const LONGEST = 3650 * 86_400

/** The fields of a new key; times in milliseconds. `now` too. @throws {AppError} 400 naming the field. */
export function parseNewKey(
  body: Record<string, unknown>,
  now: number,
): Pick<ApiKey, 'name' | 'scopes' | 'expiresAt' | 'spending'> {
  return {
    name: parseName(body, 'name'),
    scopes: parseScopes(body.scopes),
    expiresAt: parseExpiry(body.expiresAt, unixSeconds(now)),
    spending: parseSpending(body.spending),
  }
}

function parseScopes(value: unknown): ApiKey['scopes'] {
  const known: readonly unknown[] = SCOPES
  if (!Array.isArray(value) || value.length === 0 || value.some((scope) => !known.includes(scope))) {
    throw invalidField('scopes', `must be a list of ${SCOPES.join(', ')}, at least one of them.`)
  }
  return SCOPES.filter((scope) => value.includes(scope))
}

function parseExpiry(value: unknown, now: number): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value <= now || value > now + LONGEST) {
    throw invalidField('expiresAt', 'must be a time to come within ten years, in whole Unix seconds.')
  }
  return value * 1000
}

function parseSpending(value: unknown): Spending | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalidField('spending', 'must be an object of coins by blockchain.')
  }
  const spending: Spending = {}
  for (const [blockchain, coins] of Object.entries(value)) {
    if (!isBlockchain(blockchain)) {
      throw invalidField('spending', `names ${JSON.stringify(blockchain.slice(0, 40))}, which nothing is paid in.`)
    }
    spending[blockchain] = parseLimit(blockchain, coins)
  }
  return spending
}

function parseLimit(blockchain: string, coins: unknown): bigint {
  try {
    const units = typeof coins === 'string' ? parseAmount(coins) : -1n
    if (units >= 0n) return units
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
  }
  throw invalidField(`spending.${blockchain}`, 'must be a decimal number of coins as text, such as "0.5".')
}
