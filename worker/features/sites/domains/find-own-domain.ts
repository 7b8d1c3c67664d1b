import type { ListedDomain } from '../sql/domain-lists.ts'
import { selectDomain } from '../sql/domains.ts'
import { selectWaitingDomain } from '../sql/waiting-domains.ts'

/** What a user has of a host: the claim, or else the wait for one. */
export async function findOwnDomain(db: D1Database, host: string, userId: string): Promise<ListedDomain | undefined> {
  const claim = await selectDomain(db, host)
  if (claim?.userId === userId) return { ...claim, waitUntil: null }
  return await selectWaitingDomain(db, host, userId)
}
