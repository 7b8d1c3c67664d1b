import type { Env } from '../bindings.ts'
import { AppError, notFound } from '../errors.ts'
import { findOwnItem, removeItem } from '../storage/items.ts'
import { purgeItem } from './purge-item.ts'

/**
 * Removes the caller's unpaid item at once, for everybody; what it left in the bucket goes in the background, and
 * the sweep deletes what that leaves. @throws {AppError} 404, 409 once it is paid or part of a directory.
 */
export async function deleteItem(
  env: Env,
  userId: string,
  id: string,
  now: number,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<void> {
  const item = await findOwnItem(env.DB, userId, id)
  if (!item) throw notFound('You have no item with this id.')
  if (item.partOf) {
    const message = `This file is part of the directory ${item.partOf}. Delete that one.`
    throw new AppError(409, 'part_of_directory', message)
  }
  const [removal] = await env.DB.batch(removeItem(env.DB, id, now))
  if (!removal?.meta.changes) {
    throw new AppError(409, 'already_paid', 'This item is paid for and cannot be deleted.')
  }
  // A directory's files go with it: all of that is the sweep's work.
  if (item.directoryOf) return
  waitUntil(purgeItem(env, item).catch((error: unknown) => console.error('purge_failed', id, error)))
}
