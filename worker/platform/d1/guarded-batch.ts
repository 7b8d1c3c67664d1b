/**
 * A statement that fails its whole batch unless `condition` holds. The condition is SQL that is true or false,
 * never NULL.
 */
export function assertionStatement(
  db: D1Database,
  condition: string,
  ...values: (string | number)[]
): D1PreparedStatement {
  return db.prepare(`INSERT INTO assertions (holds) SELECT 0 WHERE NOT (${condition})`).bind(...values)
}

/** Rounds of reading and then writing by {@link batchIf}, before a caller is told that others were always faster. */
export const ROUNDS = 5

/**
 * Runs the statements as one transaction. Returns false when an assertion or a unique index failed: then nothing was
 * written, and what the caller read before is out of date.
 * @throws what D1 throws where it is unavailable; the batch may have been committed then.
 */
export async function batchIf(db: D1Database, statements: D1PreparedStatement[]): Promise<boolean> {
  try {
    await db.batch(statements)
    return true
  } catch (error) {
    if (error instanceof Error && /constraint failed/i.test(error.message)) return false
    throw error
  }
}
