import { useId, useState } from 'preact/hooks'
import { hasIndexByDefault, offersIndex } from '../../../contract/content-index.ts'
import type { StorageTarget } from '../../../protocol/chains.ts'
import { api } from '../../api/client.ts'
import { totalBytes } from '../../core/chosen-files.ts'
import { coinsText, unitsOf } from '../../core/coins.ts'
import { sizeText } from '../../core/size-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Check, focusFault } from '../../parts/field.tsx'
import { Section } from '../../parts/page.tsx'
import { texts } from '../../texts/index.ts'
import type { PriceNow } from './use-estimates.ts'

/** What the user agrees to before an upload: files, size, target, and that they are public and permanent. */
export function ConfirmStore(props: {
  files: readonly { size: number }[]
  target: StorageTarget
  website: boolean
  price: PriceNow | undefined
  /** Data bytes of one transaction of the target; null on IPFS. */
  holds: number | null
  /** Whether the target takes these files. */
  possible: boolean
  /** `index` is undefined if the user was not asked. */
  onStore(index: boolean | undefined): void
}) {
  const id = useId()
  const { files, target } = props
  const unsaid = { files, target, known: false, tried: false, index: hasIndexByDefault(target) }
  const [kept, setKept] = useState(unsaid)
  // Who agreed to some files and a target did not agree to others. Not by an effect: it would undo a tick made before it.
  const said = kept.files === files && kept.target === target ? kept : unsaid
  const { known, tried, index } = said
  const ipfs = target === 'IPFS'
  const count = files.length
  const largest = props.website ? totalBytes(files) : Math.max(0, ...files.map(({ size }) => size))
  // Content that compresses to less needs one transaction and gets no index.
  const several = props.holds !== null && largest > props.holds
  const asked = several && offersIndex({ maxDataBytes: props.holds })
  return (
    <>
      <Section title={ipfs ? texts.confirm.titleIpfs(count) : texts.confirm.title(count)}>
        <form
          id={id}
          class="stack after"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            setKept({ ...said, tried: true })
            if (known) props.onStore(asked ? index : undefined)
            else focusFault(event.currentTarget)
          }}
        >
          <p>
            {texts.confirm.facts(texts.library.files(count), sizeText(totalBytes(files)), texts.whereLower[target])}
            {props.website && ` ${texts.confirm.website}`}
          </p>
          <Price price={props.price} />
          {asked && (
            <Check checked={index} onChange={(on) => setKept({ ...said, index: on })}>
              {texts.confirm.index}
            </Check>
          )}
          {several && !asked && <p class="quiet small">{texts.confirm.noIndex(target)}</p>}
          <Check
            checked={known}
            onChange={(on) => setKept({ ...said, known: on })}
            error={tried && !known ? texts.confirm.missing : undefined}
          >
            {ipfs ? texts.confirm.checkIpfs : texts.confirm.check}
          </Check>
        </form>
      </Section>
      <div class="row foot">
        <button type="submit" form={id} class="btn primary big" disabled={!props.possible}>
          {texts.store.upload(count)}
        </button>
      </div>
    </>
  )
}

/** The price, what pays it, and the remaining balance. */
function Price({ price }: { price: PriceNow | undefined }) {
  const profile = useLoad(() => api.GET('/v0/user'), [])
  if (!price) return <p class="price-now">{`${texts.confirm.noPrice} ${texts.confirm.press}`}</p>
  const { paidIn } = price
  const amount = unitsOf(price.amount)
  const balance = profile.data && unitsOf(profile.data.balances?.[paidIn] ?? 0)
  const source =
    balance === undefined
      ? ''
      : balance >= amount
        ? texts.confirm.covers(coinsText(balance, paidIn), coinsText(balance - amount, paidIn))
        : texts.confirm.short(coinsText(balance, paidIn))
  const how = price.about ? texts.store.aboutPrice : texts.store.atMost
  return (
    <p class="price-now">
      {[texts.confirm.price(how, coinsText(amount, paidIn)), source, texts.confirm.press].join(' ')}
    </p>
  )
}
