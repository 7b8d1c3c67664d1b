import type { Context } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { isFresh } from './find-stored-item.ts'

/** Has what is left to be kept, if anything is, hold as long as the record of the item does that it was found by. */
export function bindToItem(c: Context<AppEnv>, id: string): void {
  const warm = c.get('warm')
  if (warm) c.set('warm', { ...warm, item: id, holds: (now) => isFresh(id, now) })
}
