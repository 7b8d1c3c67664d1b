import type { Context } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import type { StoredItem } from '../sql/stored-items.ts'
import { isUnchanged } from './find-stored-item.ts'

/** Has the answer, where it is cached, expire with the record of the item. */
export function bindToItem(
  c: Context<AppEnv>,
  item: Pick<StoredItem, 'id' | 'name' | 'directoryCid' | 'typeChanges'>,
): void {
  const cacheable = c.get('cacheable')
  if (!cacheable) return
  const { id, name, directoryCid, typeChanges } = item
  const cids = [...(cacheable.cids ?? []), ...(directoryCid === undefined ? [] : [directoryCid])]
  c.set('cacheable', { ...cacheable, cids, item: id, holds: (now) => isUnchanged({ id, name, typeChanges }, now) })
}
