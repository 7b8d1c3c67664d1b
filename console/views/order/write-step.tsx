import { useEffect, useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { fieldOfBlocks } from '../../core/blocks.ts'
import { type Order, type OrderItem, writeProgress } from '../../core/order.ts'
import { groupDigits } from '../../core/size-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Notice, State } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import { ItemTransactions } from '../item/item-transactions.tsx'
import { Excess } from '../money/excess.tsx'
import { AddressOfOrder } from './address-of-order.tsx'
import { LOOK_MS, Stalled } from './stalled.tsx'

/** Most items whose transactions are shown here; the others have them on their own pages. */
const MAX_LISTED = 50

/** The transactions of an order: a square for each, their counts, and failed items. */
export function WriteStep({ order }: { order: Order }) {
  const { transactions, written, confirmed } = writeProgress(order.items)
  const stopped = order.items.filter(({ state }) => state === 'stopped')
  const sent = Math.max(0, written - confirmed)
  const waiting = Math.max(0, transactions - written)
  const counts = [groupDigits(confirmed), groupDigits(sent), groupDigits(waiting)] as const
  const listed = order.items.filter(({ state }) => state !== 'stopped' && state !== 'refused')
  const last = order.items.findLast(({ state }) => state === 'writing')
  const field = fieldOfBlocks(transactions, written, confirmed)
  return (
    <>
      <Excess addresses={order.payments} />
      {order.site && <AddressOfOrder order={order.id} site={order.site} />}
      {stopped.slice(0, 5).map((item) => (
        <Notice key={item.id} kind="bad">
          <p>
            <strong>{texts.order.stopped(item.name)}</strong> {item.message}
          </p>
          <p>
            <a href={`/console/item/${item.id}`}>{texts.order.openItem}</a>
          </p>
        </Notice>
      ))}
      {stopped.length === 0 && transactions > 0 && <Stalled order={order} written={written} confirmed={confirmed} />}
      {transactions > 0 ? (
        <>
          <div class="field-of-blocks" role="img" aria-label={texts.order.field(...counts)}>
            {squares('in', field.full)}
            {squares('sent', field.half)}
            {squares(undefined, field.hollow)}
          </div>
          {field.each > 1 && <p class="quiet small">{texts.order.each(groupDigits(field.each))}</p>}
          <p class="row small legend">
            <State block="full">{texts.order.inBlock(counts[0])}</State>
            <State block="half">{texts.order.sent(counts[1])}</State>
            <State kind="quiet" block="hollow">
              {texts.order.toSend(counts[2])}
            </State>
            {last && <BlocksToGo id={last.id} />}
          </p>
        </>
      ) : (
        <p>{texts.order.ipfsWriting}</p>
      )}
      <p class="quiet after">{texts.order.closing}</p>
      {order.blockchain !== 'IPFS' && <Items items={listed} />}
    </>
  )
}

/** Blocks until the last item is deep enough, if the next blocks contain the rest of its transactions. */
function BlocksToGo({ id }: { id: string }) {
  const { data, reload } = useLoad(
    () => api.GET('/v0/item/{id}/transactions', { params: { path: { id }, query: {} } }),
    [id],
    ['item.progress'],
  )
  useEffect(() => {
    const timer = setInterval(reload, LOOK_MS)
    return () => clearInterval(timer)
  }, [])
  if (!data) return null
  const depth = Math.min(...data.transactions.map((each) => each.depth))
  return <span class="quiet">{texts.order.blocksToGo(Math.max(1, data.confirmations - depth))}</span>
}

/** The items, collapsed if there are several. */
function Items({ items }: { items: readonly OrderItem[] }) {
  const rows = items
    .slice(0, MAX_LISTED)
    .map((item) => <ItemRow key={item.id} item={item} alone={items.length === 1} />)
  if (items.length <= 1) return <>{rows}</>
  return (
    <details>
      <summary>{texts.order.itemsOf(items.length)}</summary>
      {rows}
      {items.length > MAX_LISTED && <p class="quiet small">{texts.store.moreRefused(items.length - MAX_LISTED)}</p>}
    </details>
  )
}

/** The transactions of one item, read when it is opened; those of an order's only item are open at once. */
function ItemRow({ item, alone }: { item: OrderItem; alone: boolean }) {
  const [open, setOpen] = useState(alone)
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.order.transactionsOf(item.name, item.transactions)}</summary>
      {open && <ItemTransactions item={item} />}
    </details>
  )
}

function squares(kind: 'in' | 'sent' | undefined, count: number) {
  return Array.from({ length: count }, (_, index) => <i key={`${kind}-${index}`} class={kind} />)
}
