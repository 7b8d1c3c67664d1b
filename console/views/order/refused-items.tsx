import { useLocation } from 'preact-iso'
import { api } from '../../api/client.ts'
import { mostBytes } from '../../core/chosen-files.ts'
import type { Order, OrderFile } from '../../core/order.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import { storeElsewhere } from '../../upload/mend-order.ts'

/** Items that are shown; the others are counted. */
const MAX_SHOWN = 20

/** The items that merging refused, with the service's reason and a target that would accept them. */
export function RefusedItems({ order }: { order: Order }) {
  const items = order.items.filter(({ state }) => state === 'refused')
  if (items.length === 0) return null
  const files = order.files.filter(({ path, state }) =>
    items.some(({ name }) => state !== 'removed' && (path === name || path.startsWith(`${name}/`))),
  )
  return (
    <Notice kind="bad">
      <p>
        <strong>{texts.order.refusedItems(items.length, order.blockchain)}</strong>
      </p>
      <ul>
        {items.slice(0, MAX_SHOWN).map((item) => (
          <li key={item.id}>
            {item.name}: {item.message}
          </li>
        ))}
      </ul>
      {items.length > MAX_SHOWN && <p>{texts.store.moreRefused(items.length - MAX_SHOWN)}</p>}
      <p class="quiet">{texts.order.refusedLead}</p>
      <StoreElsewhere order={order} files={files} />
    </Notice>
  )
}

/** The targets that accept these files, each with a button that stores them there. */
export function StoreElsewhere({ order, files }: { order: Order; files: readonly OrderFile[] }) {
  const { route } = useLocation()
  const { data } = useLoad(() => api.GET('/v0/targets'), [])
  const able = data?.targets.filter(
    (target) =>
      target.available &&
      target.blockchain !== order.blockchain &&
      files.length <= target.maxFiles &&
      files.every(({ size }) => size <= mostBytes(target)),
  )
  if (files.length === 0 || !able || able.length === 0) return null
  return (
    <p class="row after-small">
      {able.map(({ blockchain }) => (
        <button
          key={blockchain}
          type="button"
          class="btn"
          onClick={() =>
            route(
              `/console/order/${storeElsewhere(
                order.id,
                blockchain,
                files.map(({ path }) => path),
              )}`,
            )
          }
        >
          {texts.store.storeInstead(blockchain)}
        </button>
      ))}
    </p>
  )
}
