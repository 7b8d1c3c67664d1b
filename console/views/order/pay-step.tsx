import { useEffect, useState } from 'preact/hooks'
import type { HooklineError } from '../../../client/http/api-error.ts'
import { MAX_PAID_ITEMS } from '../../../contract/limits.ts'
import { inGroups } from '../../../reader/in-groups.ts'
import { api } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { coinsText, unitsOf } from '../../core/coins.ts'
import type { Order } from '../../core/order.ts'
import { Failed } from '../../parts/failed.tsx'
import { WaitingRows } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'
import { readOrder } from '../../upload/server-orders.ts'
import { changeOrder, forgetOrder } from '../../upload/share-orders.ts'
import { askPayment } from '../money/ask-payment.ts'
import { PaymentPanel } from '../money/payment-panel.tsx'
import { RefusedItems } from './refused-items.tsx'

/** The payment for an order: one request, or several in turn, with their sum shown first. */
export function PayStep({ order }: { order: Order }) {
  const [error, setError] = useState<HooklineError>()
  const [sum, setSum] = useState<string>()
  const groups = inGroups(
    order.items.filter(({ state }) => state !== 'refused'),
    MAX_PAID_ITEMS,
  )
  const index = groups.findIndex((group) => group.some(({ state }) => state === 'unpaid'))
  const group = groups[index]
  const address = order.payments[index]
  const many = groups.length > 1

  const notePaid = () => {
    const paid = new Set(group?.map(({ id }) => id))
    changeOrder(order.id, (now) => ({
      ...now,
      items: now.items.map((item) =>
        paid.has(item.id) && item.state === 'unpaid' ? { ...item, state: 'writing' } : item,
      ),
    }))
  }
  const request = async (fromBalance: bigint) => {
    if (!group) return
    const unpaid = group.filter(({ state }) => state === 'unpaid').map(({ id }) => id)
    const { address: found } = await askPayment(order.blockchain, unpaid, fromBalance)
    if (found === undefined) notePaid()
    else changeOrder(order.id, (now) => ({ ...now, payments: withAt(now.payments, index, found) }))
  }
  const ask = async () => {
    setError(undefined)
    await request(0n).catch((failure: unknown) => setError(asFailure(failure)))
  }
  useEffect(() => {
    if (address === undefined) void ask()
  }, [index, address])

  // The sum of several requests is known before the first is paid: the estimate is an upper bound of it.
  useEffect(() => {
    if (!many) return
    const files = order.items.map(({ size }) => ({ size, mimetype: 'application/octet-stream' }))
    api.POST('/v0/estimate', { body: { blockchain: order.blockchain, files } }).then(
      ({ amount, paidIn }) => setSum(coinsText(unitsOf(amount), paidIn)),
      () => undefined,
    )
  }, [many])

  return (
    <>
      <RefusedItems order={order} />
      {many && (
        <p class="quiet">
          {texts.pay.several(index + 1, groups.length, sum === undefined ? '…' : `${texts.store.atMost} ${sum}`)}
        </p>
      )}
      {error && <Failed error={error} again={ask} />}
      {address === undefined ? (
        !error && <WaitingRows rows={4} />
      ) : (
        <PaymentPanel
          key={address}
          address={address}
          onRenew={request}
          onPaid={notePaid}
          onCancelled={async () => {
            // What is left of it, if anything, is read anew.
            await forgetOrder(order.id)
            await readOrder(order.id)
          }}
        />
      )}
    </>
  )
}

function withAt(list: readonly string[], index: number, value: string): string[] {
  const next = [...list]
  next[index] = value
  return next
}
