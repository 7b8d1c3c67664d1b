import type { ListedDomain } from '../storage/sites/domain-lists.ts'
import { selectDomain } from '../storage/sites/domains.ts'
import { selectWaitingDomain } from '../storage/sites/waiting-domains.ts'

/** What a user has of a host: the claim, or else the wait for one. */
export async function findOwnDomain(db: D1Database, host: string, userId: string): Promise<ListedDomain | undefined> {
  const claim = await selectDomain(db, host)
  if (claim?.userId === userId) return { ...claim, waitUntil: null }
  return await selectWaitingDomain(db, host, userId)
}
