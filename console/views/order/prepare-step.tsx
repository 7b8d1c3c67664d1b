import { isRefused, needsFolderForm, type Order } from '../../core/order.ts'
import { groupDigits } from '../../core/size-text.ts'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import { setWebsite } from '../../upload/run-order.ts'
import { RefusedItems } from './refused-items.tsx'

/** Merging: a state without a percentage. */
export function PrepareStep({ order }: { order: Order }) {
  const done = order.items.filter(({ state }) => state !== 'uploading')
  if (needsFolderForm(order)) return <AskForm id={order.id} />
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

/** Asks for the form of the folders, which only the device knows that created the order. */
function AskForm({ id }: { id: string }) {
  return (
    <Notice kind="warn" live>
      <p>{texts.order.askForm}</p>
      <p class="row after-small">
        <button type="button" class="btn" onClick={() => setWebsite(id, true)}>
          {texts.store.asWebsite}
        </button>
        <button type="button" class="btn" onClick={() => setWebsite(id, false)}>
          {texts.store.asFiles}
        </button>
      </p>
    </Notice>
  )
}
