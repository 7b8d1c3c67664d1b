import { useLocation, useRoute } from 'preact-iso'
import { useLoad } from '../hooks/use-load.ts'
import { Failed } from '../parts/failed.tsx'
import { FeedLive } from '../parts/feed-live.tsx'
import { Page, WaitingRows } from '../parts/page.tsx'
import { texts } from '../texts/index.ts'
import { askPayment } from './money/ask-payment.ts'
import { PaymentPanel, readPayment } from './money/payment-panel.tsx'

/** One payment request on its own page, for one chain only. */
export default function Pay() {
  const { params } = useRoute()
  const { route } = useLocation()
  const address = params.address ?? ''
  const payment = useLoad(() => readPayment(address), [address])
  const crumb = { href: '/console/money', label: texts.nav.money }
  if (!payment.data) {
    return (
      <Page title={texts.money.requests} crumb={crumb}>
        {payment.error ? <Failed error={payment.error} again={payment.reload} /> : payment.waiting && <WaitingRows />}
      </Page>
    )
  }
  const { blockchain, paidIn, items, names, confirmations, ids } = payment.data
  const what = items === 1 ? (names[0] ?? texts.common.items(1)) : texts.money.more(names[0] ?? '', items - 1)
  return (
    <Page
      title={texts.pay.title(paidIn)}
      lead={texts.pay.lead(what, texts.whereLower[blockchain], confirmations)}
      crumb={crumb}
      acts={<FeedLive />}
    >
      <PaymentPanel
        address={address}
        onPaid={() => undefined}
        onRenew={async (fromBalance) => {
          const asked = await askPayment(blockchain, ids, fromBalance)
          if (asked.address !== undefined) route(`/console/pay/${asked.address}`, true)
          else route('/console/library')
        }}
      />
    </Page>
  )
}
