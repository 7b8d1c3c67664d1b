import type { DeniedKind } from '../../../../contract/states.ts'

/** Whether something was reported before. */
export async function isReported(
  db: D1Database,
  { kind, digest }: { kind: DeniedKind; digest: string },
): Promise<boolean> {
  return (await db.prepare('SELECT 1 FROM reports WHERE kind = ? AND digest = ?').bind(kind, digest).first()) !== null
}
