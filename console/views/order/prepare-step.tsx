import { isRefused, type Order } from '../../core/order.ts'
import { groupDigits } from '../../core/size-text.ts'
import { texts } from '../../texts/index.ts'
import { RefusedItems } from './refused-items.tsx'

/** Merging: a state without a percentage. */
export function PrepareStep({ order }: { order: Order }) {
  const done = order.items.filter(({ status }) => status !== 201)
  if (isRefused(order)) return <RefusedItems order={order} />
  return (
    <>
      <p role="status">{order.blockchain === 'IPFS' ? texts.order.mergingIpfs : texts.order.merging}</p>
      {order.files.length > 1 && (
        <p class="quiet">{texts.order.mergingSome(groupDigits(done.length), groupDigits(order.items.length))}</p>
      )}
      <RefusedItems order={order} />
    </>
  )
}
