import { useRoute } from 'preact-iso'
import { api, type Schemas } from '../api/client.ts'
import { coinsText, unitsOf } from '../core/coins.ts'
import { momentText } from '../core/time-text.ts'
import { useLoad } from '../hooks/use-load.ts'
import { Page } from '../parts/page.tsx'
import { Reading } from '../parts/reading.tsx'
import { texts } from '../texts/index.ts'
import { PriceParts } from './store/target-row.tsx'

/** What was paid for an item, by the parts of the price. */
export default function Receipt() {
  const { params } = useRoute()
  const id = params.id ?? ''
  const receipt = useLoad(() => api.GET('/v0/item/{id}/receipt', { params: { path: { id } } }), [id])
  const item = useLoad(() => api.GET('/v0/item/{id}', { params: { path: { id } } }), [id])
  const back = receipt.data ? moreThanDue(receipt.data) : 0n
  const crumb = { href: `/console/item/${id}`, label: receipt.data?.name ?? texts.nav.library }
  return (
    <Page
      title={texts.item.receiptTitle}
      narrow
      crumb={crumb}
      acts={
        <button type="button" class="btn" onClick={() => print()}>
          {texts.item.receiptPrint}
        </button>
      }
    >
      <Reading of={receipt} rows={4} />
      {receipt.data && (
        <>
          <dl class="facts money">
            <dt>{texts.item.receiptFor}</dt>
            <dd>
              {receipt.data.name}, {item.data?.files ? `${texts.item.website(item.data.files)}, ` : ''}
              {texts.whereLower[receipt.data.blockchain]}
            </dd>
            <dt>{texts.item.receiptDay}</dt>
            <dd>{momentText(receipt.data.paidAt)}</dd>
            {receipt.data.payments.map(({ txid, amount }) => (
              <>
                <dt>
                  <code>{txid}</code>
                </dt>
                <dd>{coinsText(unitsOf(amount), receipt.data?.paidIn ?? 'Nativecoin')}</dd>
              </>
            ))}
            {unitsOf(receipt.data.fromBalance) > 0n && (
              <>
                <dt>{texts.item.receiptFrom}</dt>
                <dd>{coinsText(unitsOf(receipt.data.fromBalance), receipt.data.paidIn)}</dd>
              </>
            )}
            {back > 0n && (
              <>
                <dt>{texts.item.receiptBack}</dt>
                <dd>{coinsText(-back, receipt.data.paidIn)}</dd>
              </>
            )}
            <dt>
              <strong class="ink">{texts.store.total}</strong>
            </dt>
            <dd>
              <strong>{coinsText(unitsOf(receipt.data.amount), receipt.data.paidIn)}</strong>
            </dd>
          </dl>
          {receipt.data.index && (
            <dl class="facts">
              <dt>{texts.item.index}</dt>
              <dd>
                <code>{receipt.data.index}</code>
              </dd>
            </dl>
          )}
          <p class="quiet after">{texts.item.receiptParts}</p>
          <PriceParts price={receipt.data} />
          {receipt.data.items > 1 && <p class="quiet small note">{texts.item.receiptWith(receipt.data.items - 1)}</p>}
        </>
      )}
    </Page>
  )
}

/** Base units received beyond the amount: they were added to the balance. */
function moreThanDue({ payments, fromBalance, amount }: Schemas['Receipt']): bigint {
  const received = payments.reduce((sum, payment) => sum + unitsOf(payment.amount), unitsOf(fromBalance))
  return received - unitsOf(amount)
}
