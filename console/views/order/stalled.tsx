import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { isStalled, markProgress } from '../../core/blocks-without.ts'
import type { Order } from '../../core/order.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import { changeOrder } from '../../upload/share-orders.ts'
import { readPayment } from '../money/payment-panel.tsx'

/** No event reports a block without progress, so the depth is polled at this interval. */
export const LOOK_MS = 30_000

/** Explains why an order waits after six blocks without a transaction of it. */
export function Stalled({ order, written, confirmed }: { order: Order; written: number; confirmed: number }) {
  const [address] = order.payments
  const first = order.items.find(({ state }) => state === 'writing')
  const { data: depth, reload } = useLoad(
    () => (address === undefined ? itemDepth(first?.id) : paymentDepth(address)),
    [order.id, address, first?.id],
  )
  useEffect(() => {
    const timer = setInterval(reload, LOOK_MS)
    return () => clearInterval(timer)
  }, [])
  const mark = depth === undefined ? undefined : markProgress(order.progress, { written, confirmed, depth })
  useEffect(() => {
    if (mark && mark !== order.progress) changeOrder(order.id, (now) => ({ ...now, progress: mark }))
  }, [mark?.written, mark?.confirmed, mark?.depth])
  if (depth === undefined || mark === undefined || !isStalled(mark, depth)) return null
  return (
    <Notice kind="warn" live>
      {first?.message ?? texts.order.noProgress}
    </Notice>
  )
}

/** The depth of an order's payment, which grows with each block. */
async function paymentDepth(address: string): Promise<number> {
  const { transactions } = await readPayment(address)
  return Math.max(0, ...transactions.map(({ depth }) => depth))
}

/** For an order paid from the balance: the depth of the item's first transaction. */
async function itemDepth(id: string | undefined): Promise<number> {
  if (id === undefined) return 0
  const { transactions } = await api.GET('/v0/item/{id}/transactions', { params: { path: { id }, query: {} } })
  return Math.max(0, ...transactions.map(({ depth }) => depth))
}
