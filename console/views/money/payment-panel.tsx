import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { HooklineError } from '../../../client/http/api-error.ts'
import { CHAINS } from '../../../protocol/chains.ts'
import { api, type Schemas } from '../../api/client.ts'
import { amountText, coinsText, plainAmount, unitsOf } from '../../core/coins.ts'
import { groupAddress, paymentLink } from '../../core/payment-link.ts'
import { minuteToAnnounce, type PaymentView, viewPayment } from '../../core/payment-state.ts'
import { clockText, countdownText, momentText } from '../../core/time-text.ts'
import { useAct } from '../../hooks/use-act.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { useNow } from '../../hooks/use-now.ts'
import { announce } from '../../parts/announce.tsx'
import { Approximate } from '../../parts/approximate.tsx'
import { CopyButton, CopyField } from '../../parts/copy.tsx'
import { ActDialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Depth } from '../../parts/motif.tsx'
import { Bar, Notice, State } from '../../parts/notice.tsx'
import { WaitingRows } from '../../parts/page.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { settings } from '../../shell/settings.ts'
import { texts } from '../../texts/index.ts'
import { FromBalance } from './from-balance.tsx'
import { PayFromFaucet } from './pay-from-faucet.tsx'

/** One payment request: what to send and where, what arrived, and what to do when it has expired. */
export function PaymentPanel(props: {
  address: string
  onPaid(): void
  /** Requests a new price; the balance pays it if it is at most this many base units. */
  onRenew(fromBalance: bigint): Promise<unknown>
  /** Called when the request was cancelled and its unpaid items were deleted. */
  onCancelled?: () => Promise<void>
}) {
  const { address } = props
  const payment = useLoad(async () => readPayment(address), [address], ['request'])
  const profile = useLoad(() => api.GET('/v0/user'), [address], ['request', 'deposit.'])
  const now = useNow()
  const view = payment.data && viewPayment(payment.data, now)
  const standing = view?.standing
  const { onPaid } = props
  const before = useRef<PaymentView['standing'] | undefined>(undefined)
  useEffect(() => {
    if (standing === 'seen' && before.current !== 'seen') announce(texts.announce.seen)
    if (standing === 'paid') onPaid()
    before.current = standing
  }, [standing])
  useMinutes(view?.left)
  if (!payment.data || !view) {
    return payment.error ? <Failed error={payment.error} again={payment.reload} /> : <WaitingRows rows={4} />
  }
  const { data } = payment
  const balance = profile.data && unitsOf(profile.data.balances?.[data.paidIn] ?? 0)
  const gone = view.standing === 'expired' || view.standing === 'cancelled'
  return (
    <>
      {view.replaced && view.standing !== 'paid' && (
        <Notice kind="warn" live>
          {texts.pay.replaced}
        </Notice>
      )}
      {view.standing === 'part' && (
        <Notice kind="warn" live>
          {texts.pay.missing(
            coinsText(view.missing, data.paidIn),
            view.left === undefined ? '' : countdownText(view.left),
          )}{' '}
          {texts.pay.partLate}
        </Notice>
      )}
      {view.standing === 'open' && balance !== undefined && balance >= view.missing && (
        <FromBalance payment={data} balance={balance} due={view.missing} onPaid={props.onPaid} />
      )}
      {gone ? (
        <Gone payment={data} view={view} onRenew={props.onRenew} />
      ) : view.standing === 'open' || view.standing === 'part' ? (
        <Open payment={data} view={view} />
      ) : (
        <Seen payment={data} view={view} />
      )}
      <Below payment={data} view={view} balance={balance} onCancelled={props.onCancelled} />
    </>
  )
}

/** One payment by its address. @throws {HooklineError} */
export async function readPayment(address: string): Promise<Schemas['Payment']> {
  const found: unknown = await api.GET('/v0/payment', { params: { query: { address } } })
  if (isPayment(found)) return found
  throw new HooklineError('empty_answer', '')
}

function isPayment(found: unknown): found is Schemas['Payment'] {
  return typeof found === 'object' && found !== null && 'address' in found && 'transactions' in found
}

function Open({ payment, view }: { payment: Schemas['Payment']; view: PaymentView }) {
  const { paidIn, address } = payment
  const link = paymentLink(paidIn, address, view.missing)
  const amount = coinsText(view.missing, paidIn)
  return (
    <div class="pay">
      <div class="stack loose">
        <div>
          <p class="quiet">{view.standing === 'part' ? texts.pay.still : texts.pay.exactly}</p>
          <p class="amount">
            {amountText(view.missing)} <small>{CHAINS[paidIn].ticker}</small>
          </p>
          <p class="quiet">
            <Approximate units={view.missing} chain={paidIn} />
          </p>
          {payment.blockchain === 'IPFS' && <p class="after-small">{texts.pay.ipfsOn(paidIn)}</p>}
        </div>
        <p>{texts.pay.how}</p>
        {view.left !== undefined && !view.showLeft && (
          <p class="quiet small">{texts.pay.deadline(momentText(payment.expiresAt ?? 0))}</p>
        )}
        {view.showLeft && view.left !== undefined && (
          <p class="row between small">
            <State icon="clock">{texts.pay.fixed(countdownText(view.left))}</State>
            <span class="quiet">{texts.pay.until(clockText(payment.expiresAt ?? 0))}</span>
          </p>
        )}
        <CopyField
          label={texts.pay.address(paidIn)}
          text={address}
          shortcut="c"
          shown={groupAddress(address).map((group, index) => (
            <span key={index} class="group">
              {group}
            </span>
          ))}
        />
        <CopyField label={texts.pay.amount} text={plainAmount(view.missing)} />
        <Received payment={payment} view={view} />
        <p class="quiet small">{texts.pay.exchange}</p>
      </div>
      <div class="stack pay-code">
        <QrCode text={link} label={texts.pay.qr(paidIn, amount, address)} />
        <p class="center strong">{paidIn}</p>
        <a class="btn wide" href={link}>
          <Icon name="wallet" />
          {texts.pay.open(paidIn)}
        </a>
        <CopyButton class="btn plain wide" text={link} what={texts.pay.copyLink}>
          {texts.pay.copyLink}
        </CopyButton>
        {settings.value?.faucet && (
          <PayFromFaucet faucet={settings.value.faucet} blockchain={paidIn} address={address} units={view.missing} />
        )}
      </div>
    </div>
  )
}

function Seen({ payment, view }: { payment: Schemas['Payment']; view: PaymentView }) {
  const credited = unitsOf(payment.credited)
  return (
    <div class="stack loose">
      <Notice live>
        <p>
          <strong>
            {view.standing === 'paid' ? texts.pay.paid : texts.pay.seen(view.depth, payment.confirmations)}
          </strong>{' '}
          {view.standing === 'seen' && texts.pay.seenLead}
        </p>
        <p class="quiet">{texts.pay.mayClose}</p>
      </Notice>
      {credited > 0n && <p>{texts.pay.excess(coinsText(credited, payment.paidIn))}</p>}
      <Received payment={payment} view={view} />
    </div>
  )
}

function Received({ payment, view }: { payment: Schemas['Payment']; view: PaymentView }) {
  const { paidIn, confirmations, transactions } = payment
  const share = view.amount === 0n ? 0 : Number((view.received * 1000n) / view.amount) / 1000
  return (
    <div class="received" role="status">
      <div class="row between">
        <strong>{texts.pay.received}</strong>
        <span>{texts.pay.receivedOf(amountText(view.received), coinsText(view.amount, paidIn))}</span>
      </div>
      <Bar label={texts.pay.received} share={share} />
      {transactions.length === 0 && <p class="quiet small">{texts.pay.nothing}</p>}
      {transactions.map(({ txid, amount, depth, replaced }) => (
        <div key={txid} class={replaced ? 'row between small replaced' : 'row between small'}>
          <code>{`${txid.slice(0, 10)}…${txid.slice(-6)}`}</code>
          <span>{coinsText(unitsOf(amount), paidIn)}</span>
          <Depth
            depth={depth}
            needed={confirmations}
            text={texts.pay.blocks(Math.min(depth, confirmations), confirmations)}
          />
        </div>
      ))}
    </div>
  )
}

/**
 * An expired request: it shows no code and no address, so that nobody pays by mistake, but a new price, or the money
 * that arrived.
 */
function Gone({
  payment,
  view,
  onRenew,
}: {
  payment: Schemas['Payment']
  view: PaymentView
  onRenew(fromBalance: bigint): Promise<unknown>
}) {
  const [act, failed] = useAct()
  const credited = unitsOf(payment.credited)
  return (
    <Notice kind={view.standing === 'expired' ? 'warn' : 'bad'}>
      <p>
        <strong>{view.standing === 'expired' ? texts.pay.expired : texts.pay.cancelled}</strong>
      </p>
      {view.standing === 'expired' && <p>{texts.pay.expiredLead}</p>}
      {credited > 0n && <p>{texts.pay.late(coinsText(credited, payment.paidIn))}</p>}
      {failed}
      {view.standing === 'expired' && (
        <p class="after-small">
          <button type="button" class="btn primary" onClick={() => act(() => onRenew(credited))}>
            {credited > 0n ? texts.pay.payWith : texts.pay.renew}
          </button>
        </p>
      )}
    </Notice>
  )
}

/** The parts of the price, and other ways to pay. */
function Below(props: {
  payment: Schemas['Payment']
  view: PaymentView
  balance: bigint | undefined
  onCancelled: (() => Promise<void>) | undefined
}) {
  const { payment, view, balance } = props
  const { route } = useLocation()
  const [cancelling, setCancelling] = useState(false)
  const { paidIn, networkFee, storageFee, dustFee } = payment
  const open = view.standing === 'open' || view.standing === 'part'
  const parts = [
    [payment.transactionCount ? texts.pay.writingParts(payment.transactionCount) : texts.store.networkFee, networkFee],
    [texts.store.storageFee, storageFee],
    [texts.store.dustFee, dustFee],
  ] as const
  return (
    <section class="section halves">
      <div>
        <h2>{texts.pay.parts}</h2>
        <dl class="facts money">
          {parts.map(([name, coins]) =>
            coins === undefined ? null : (
              <>
                <dt>{name}</dt>
                <dd>{coinsText(unitsOf(coins), paidIn)}</dd>
              </>
            ),
          )}
          <dt>
            <strong class="ink">{texts.store.total}</strong>
          </dt>
          <dd>
            <strong>{coinsText(view.amount, paidIn)}</strong> <Approximate units={view.amount} chain={paidIn} />
          </dd>
        </dl>
      </div>
      {open && (
        <div class="stack">
          <h2>{texts.pay.otherWays}</h2>
          {balance !== undefined && (balance < view.missing || view.standing === 'part') && (
            <p>
              {balance < view.missing
                ? texts.pay.balanceShort(coinsText(balance, paidIn))
                : texts.pay.balanceLater(coinsText(balance, paidIn))}{' '}
              {balance < view.missing && <a href="/console/money#deposits">{texts.pay.addBalance}</a>}
            </p>
          )}
          {view.standing === 'open' ? (
            <p>
              <button type="button" class="btn plain bad" onClick={() => setCancelling(true)}>
                {texts.pay.cancel}
              </button>{' '}
              <span class="quiet">{texts.pay.cancelText(payment.items)}</span>
            </p>
          ) : (
            <p class="quiet">{texts.pay.cannotCancel}</p>
          )}
          {cancelling && (
            <ActDialog
              title={texts.order.stopTitle}
              act={texts.order.stopDo(payment.items)}
              danger
              onClose={() => setCancelling(false)}
              onAct={async () => {
                await api.DELETE('/v0/payment', { body: { address: payment.address } })
                await props.onCancelled?.()
                route('/console/store')
              }}
            >
              <p>{texts.order.stopText}</p>
            </ActDialog>
          )}
        </div>
      )}
    </section>
  )
}

/** Announces when 5 minutes and 1 minute are left. */
function useMinutes(left: number | undefined): void {
  const before = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (left === undefined) return
    const minute = before.current === undefined ? undefined : minuteToAnnounce(before.current, left)
    before.current = left
    if (minute !== undefined) announce(texts.pay.minutesLeft(minute))
  }, [left])
}
