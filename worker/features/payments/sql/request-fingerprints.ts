/** A request that waits for money, and a text that is another one once anything about its payment is. */
export interface RequestFingerprint {
  address: string
  mark: string
}

/** The user's requests that wait for money, the latest first, at most `limit`. */
export async function selectRequestFingerprints(
  db: D1Database,
  userId: string,
  limit: number,
): Promise<RequestFingerprint[]> {
  const { results } = await db
    .prepare(
      `SELECT address, state || IFNULL((
         SELECT ' ' || COUNT(*) || ' ' || SUM(in_mempool) || ' ' || IFNULL(SUM(block_height), 0) || ' ' || SUM(credited)
           || ' ' || SUM(dropped) || ' ' || (SELECT MAX(height) FROM blocks WHERE blocks.blockchain = outputs.blockchain)
         FROM outputs WHERE outputs.blockchain = payment_requests.blockchain
           AND outputs.address = payment_requests.address), '') AS mark
       FROM payment_requests
       WHERE user_id = ? AND state IN ('open', 'seen') AND address IS NOT NULL ORDER BY created_at DESC LIMIT ?`,
    )
    .bind(userId, limit)
    .all<RequestFingerprint>()
  return results
}
