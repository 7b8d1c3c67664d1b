import type { Order } from '../../core/order.ts'
import { groupDigits } from '../../core/size-text.ts'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'

/** Merging: a state without a percentage. */
export function PrepareStep({ order }: { order: Order }) {
  const done = order.items.filter(({ status }) => status !== 201)
  const refused = order.items.filter(({ status }) => status === 422)
  return (
    <>
      <p role="status">{texts.order.merging}</p>
      {order.files.length > 1 && (
        <p class="quiet">{texts.order.mergingSome(groupDigits(done.length), groupDigits(order.items.length))}</p>
      )}
      <RefusedItems items={refused} />
    </>
  )
}

/** What merging refused, with the service's reason. */
export function RefusedItems({ items }: { items: Order['items'] }) {
  if (items.length === 0) return null
  return (
    <Notice kind="bad">
      <p>
        <strong>{texts.order.refusedItems(items.length)}</strong>
      </p>
      <ul>
        {items.slice(0, 20).map((item) => (
          <li key={item.id}>
            {item.name}: {item.message}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
