import type { ComponentChildren } from 'preact'
import { HooklineError } from '../../../client/http/api-error.ts'
import type { Schemas } from '../../api/client.ts'
import { coinsText, unitsOf } from '../../core/coins.ts'
import { aboutSizeText, limitText } from '../../core/size-text.ts'
import { durationText } from '../../core/time-text.ts'
import { useNow } from '../../hooks/use-now.ts'
import { Approximate } from '../../parts/approximate.tsx'
import { failureText } from '../../parts/failed.tsx'
import { texts } from '../../texts/index.ts'
import { type PriceNow, priceOf } from './use-estimates.ts'

/** The age of the fees. */
export function Age({ readAt }: { readAt: number }) {
  const now = useNow()
  return <span class="quiet small">{texts.store.feesRead(durationText(Math.max(1, now - readAt)))}</span>
}

/** A sentence about what storing on this target means. */
export function meaningOf({ blockchain, maxDataBytes }: Schemas['Target']): string {
  return texts.store.means[blockchain](limitText(maxDataBytes ?? 0))
}

/** One target: its meaning, price and time, or why it refuses these files. */
export function TargetRow(props: {
  target: Schemas['Target']
  checked: boolean
  onCheck(): void
  estimate: PriceNow | HooklineError | undefined
  means: string
  atMost?: boolean
  /** The stored size of all files, if this browser can compute it. */
  stored?: number | undefined
  fault?: ComponentChildren
}) {
  const { target, estimate, fault } = props
  const { blockchain } = target
  const classes = ['target', props.checked && 'on', fault && 'no'].filter(Boolean).join(' ')
  const price = priceOf(estimate)
  return (
    <div class={classes}>
      <label class="target-label">
        <input type="radio" name="target" checked={props.checked} disabled={Boolean(fault)} onChange={props.onCheck} />
        <span class="target-name">{texts.where[blockchain]}</span>
      </label>
      <div class="target-means">{fault || <p>{props.means}</p>}</div>
      {!fault && (
        <>
          <div class="target-price">
            {price ? (
              <>
                <span class="price">{coinsText(unitsOf(price.amount), price.paidIn)}</span>
                <Approximate units={unitsOf(price.amount)} chain={price.paidIn} />
                <small>
                  {price.about ? `${texts.store.aboutPrice}, ` : props.atMost ? `${texts.store.atMost}, ` : ''}
                  {blockchain === 'IPFS' ? texts.store.noTransactions : texts.store.transactions(price.transactions)}
                </small>
                {props.stored !== undefined && <small>{texts.store.stored(aboutSizeText(props.stored))}</small>}
              </>
            ) : estimate instanceof HooklineError ? (
              <>
                <span class="price">{texts.store.noPrice}</span>
                <small>{whyNoPrice(estimate)}</small>
              </>
            ) : (
              <span class="wait short" aria-hidden="true" />
            )}
          </div>
          <div class="target-time">
            <span class="price">{texts.store.about(durationText(target.minutes * 60))}</span>
            <small>{blockchain === 'IPFS' ? texts.store.oncePaid : texts.store.thenDeep(target.confirmations)}</small>
          </div>
          {price && props.checked && <PriceParts price={price} />}
        </>
      )}
    </div>
  )
}

function whyNoPrice(error: HooklineError): string {
  if (error.status === 503) return texts.store.noPriceWhy
  // The files would be too large only if they could not be compressed.
  return error.status === 422 ? texts.store.priceLater : failureText(error)
}

/** The parts of a price. */
export function PriceParts({
  price,
}: {
  price: Pick<Schemas['Receipt'], 'networkFee' | 'storageFee' | 'dustFee' | 'paidIn'>
}) {
  const parts = [
    [texts.store.networkFee, price.networkFee],
    [texts.store.storageFee, price.storageFee],
    [texts.store.dustFee, price.dustFee],
  ] as const
  return (
    <dl class="parts small" aria-label={texts.store.priceParts}>
      {parts.map(([name, coins]) =>
        coins === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{coinsText(unitsOf(coins), price.paidIn)}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
