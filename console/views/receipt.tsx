import { type ComponentChildren, Fragment } from 'preact'
import { useRoute } from 'preact-iso'
import { api, type Schemas } from '../api/client.ts'
import { coinsText, unitsOf } from '../core/coins.ts'
import { sizeText } from '../core/size-text.ts'
import { momentText } from '../core/time-text.ts'
import { useLoad } from '../hooks/use-load.ts'
import { Approximate } from '../parts/approximate.tsx'
import { Page } from '../parts/page.tsx'
import { Reading } from '../parts/reading.tsx'
import { texts } from '../texts/index.ts'
import { PriceParts } from './store/target-row.tsx'

/** What was paid for an item, by the parts of the price. */
export default function Receipt() {
  const { params } = useRoute()
  const id = params.id ?? ''
  const receipt = useLoad(() => api.GET('/v0/item/{id}/receipt', { params: { path: { id } } }), [id])
  // What a website has is told by its item.
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
          <p class="quiet">
            {texts.item.receiptNumber(receipt.data.number)} · {texts.item.receiptDay} {momentText(receipt.data.paidAt)}
          </p>
          <div class="halves after">
            {receipt.data.seller.length > 0 && (
              <Party title={texts.item.receiptSeller} text={receipt.data.seller.join('\n')} />
            )}
            <Party
              title={texts.item.receiptBuyer}
              text={receipt.data.buyer}
              without={<a href="/console/account">{texts.item.receiptNoBuyer}</a>}
            />
          </div>
          <Bought receipt={receipt.data} website={item.data?.files ? item.data : undefined} />
          <dl class="facts money after">
            {unitsOf(receipt.data.fromBalance) > 0n && (
              <>
                <dt>{texts.item.receiptFrom}</dt>
                <dd>{coinsText(unitsOf(receipt.data.fromBalance), receipt.data.paidIn)}</dd>
              </>
            )}
            {receipt.data.payments.map(({ txid, amount }) => (
              <Fragment key={txid}>
                <dt>
                  {texts.item.receiptTxid}
                  <br />
                  <code>{txid}</code>
                </dt>
                <dd>{coinsText(unitsOf(amount), receipt.data?.paidIn ?? 'Nativecoin')}</dd>
              </Fragment>
            ))}
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
            {Object.keys(receipt.data.rates).length > 0 && (
              <>
                <dt>{texts.item.receiptWorth}</dt>
                <dd>
                  <Approximate
                    units={unitsOf(receipt.data.amount)}
                    chain={receipt.data.paidIn}
                    rates={receipt.data.rates}
                  />
                </dd>
              </>
            )}
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
          <p class="quiet small note">{texts.item.receiptNoInvoice}</p>
        </>
      )}
    </Page>
  )
}

function Party(props: { title: string; text: string; without?: ComponentChildren }) {
  return (
    <section class="party">
      <h2>{props.title}</h2>
      {props.text === '' ? <p class="quiet no-print">{props.without}</p> : <p>{props.text}</p>}
    </section>
  )
}

/** The items that were paid for together. */
function Bought({ receipt, website }: { receipt: Schemas['Receipt']; website: Schemas['Item'] | undefined }) {
  return (
    <table class="table after">
      <caption class="vh">{texts.item.receiptFor}</caption>
      <tbody>
        {receipt.lines.map(({ item, name, size }) => (
          <tr key={item}>
            <th scope="row" class="full">
              {name}
              {website?.id === item && website.files ? `, ${texts.item.website(website.files)}` : ''}
            </th>
            <td>{texts.whereLower[receipt.blockchain]}</td>
            <td class="num push">{sizeText(size)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Base units received beyond the amount: they were added to the balance. */
function moreThanDue({ payments, fromBalance, amount }: Schemas['Receipt']): bigint {
  const received = payments.reduce((sum, payment) => sum + unitsOf(payment.amount), unitsOf(fromBalance))
  return received - unitsOf(amount)
}
