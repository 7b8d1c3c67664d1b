import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { isRejected } from '../../client/http/api-error.ts'
import { BLOCKCHAINS, type Blockchain, CHAINS } from '../../protocol/chains.ts'
import { api } from '../api/client.ts'
import { chainOfAddress } from '../core/address-kind.ts'
import { coinsText, plainAmount, readAmount, unitsOf } from '../core/coins.ts'
import { useLoad } from '../hooks/use-load.ts'
import { Approximate } from '../parts/approximate.tsx'
import { ActDialog } from '../parts/dialog.tsx'
import { Failed } from '../parts/failed.tsx'
import { Field, Segments } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { withRecentLogin } from '../session/login-again.tsx'
import { texts } from '../texts/index.ts'

/** A withdrawal that was sent to the service, without a response yet. */
interface Attempt {
  order: string
  key: string
  body: { blockchain: Blockchain; address: string; amount: string; maxFee: string }
}

/**
 * Sends coins of the balance to a wallet: shows the fee first, the sums below the amount, and the action on the button.
 */
export default function Withdraw() {
  const { route } = useLocation()
  const [chain, setChain] = useState<Blockchain>('Nativecoin')
  const [address, setAddress] = useState('')
  const [amount, setAmount] = useState('')
  const [tried, setTried] = useState(false)
  const [asking, setAsking] = useState(false)
  const attempt = useRef<Attempt | undefined>(undefined)
  const profile = useLoad(() => api.GET('/v0/user'), [])
  const fee = useLoad(() => api.GET('/v0/withdrawal/fee', { params: { query: { blockchain: chain } } }), [chain])
  const have = unitsOf(profile.data?.balances?.[chain] ?? 0)
  const most = unitsOf(fee.data?.most ?? 0)
  const networkFee = unitsOf(fee.data?.fee ?? 0)
  const units = readAmount(amount)
  const found = chainOfAddress(address.trim())
  const addressFault =
    address.trim() === ''
      ? texts.withdraw.addressMissing
      : found !== undefined && found !== chain
        ? texts.withdraw.otherChain(found, chain)
        : undefined
  const amountFault =
    units === undefined || units <= 0n
      ? texts.withdraw.amountBad
      : fee.data && units > most
        ? texts.withdraw.amountHigh(coinsText(most, chain))
        : undefined
  const shown = units === undefined ? '' : coinsText(units, chain)
  const ready = addressFault === undefined && amountFault === undefined && fee.data !== undefined && units !== undefined
  return (
    <Page title={texts.withdraw.title} narrow crumb={{ href: '/console/money', label: texts.money.title }}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (ready) setAsking(true)
        }}
      >
        <fieldset>
          <legend class="label">{texts.withdraw.from}</legend>
          <Segments<Blockchain>
            label={texts.withdraw.from}
            value={chain}
            options={BLOCKCHAINS.map((value) => ({ value, label: value }))}
            onValue={setChain}
          />
        </fieldset>
        {fee.error && <Failed error={fee.error} again={fee.reload} what={texts.withdraw.feeNow} />}
        <dl class="facts money framed">
          <dt>{texts.withdraw.feeNow}</dt>
          <dd>
            <strong>{fee.data ? coinsText(networkFee, chain) : '…'}</strong>
          </dd>
          <dt>{texts.withdraw.ourFee}</dt>
          <dd>{texts.common.none}</dd>
          <dt>{texts.withdraw.have}</dt>
          <dd>
            {coinsText(have, chain)} <Approximate units={have} chain={chain} />
          </dd>
          <dt>{texts.withdraw.most}</dt>
          <dd>{fee.data ? coinsText(most, chain) : '…'}</dd>
        </dl>
        <Field
          label={texts.withdraw.to(chain)}
          mono
          value={address}
          onValue={setAddress}
          tried={tried}
          fault={addressFault}
        />
        <Field
          label={texts.withdraw.amount}
          inputmode="decimal"
          value={amount}
          onValue={setAmount}
          tried={tried}
          fault={amountFault}
          help={
            ready
              ? texts.withdraw.sums(
                  shown,
                  coinsText(units + networkFee, chain),
                  coinsText(have - units - networkFee, chain),
                )
              : undefined
          }
          after={
            <>
              <span class="nowrap">{CHAINS[chain].ticker}</span>
              <button
                type="button"
                class="btn"
                onClick={() => setAmount(plainAmount(most))}
                disabled={!fee.data || most === 0n}
              >
                {texts.withdraw.all}
              </button>
            </>
          }
        />
        <Notice icon="key">{texts.withdraw.confirm}</Notice>
        <p class="row">
          <button type="submit" class="btn primary big" disabled={fee.data === undefined || most === 0n}>
            {units !== undefined && units > 0n ? texts.withdraw.do(shown) : texts.withdraw.title}
          </button>
          <a class="btn plain" href="/console/money">
            {texts.withdraw.back}
          </a>
        </p>
      </form>
      {asking && ready && (
        <ActDialog
          title={texts.withdraw.sure(shown)}
          act={texts.withdraw.do(shown)}
          onClose={() => setAsking(false)}
          onAct={async () => {
            const body = {
              blockchain: chain,
              address: address.trim(),
              amount: plainAmount(units),
              maxFee: plainAmount(networkFee),
            }
            // The same withdrawal uses the same idempotency key, so it is sent once even if a response is lost and the fee changes.
            const order = JSON.stringify([chain, body.address, body.amount])
            if (attempt.current?.order !== order) attempt.current = { order, key: crypto.randomUUID(), body }
            const { key, body: sent } = attempt.current
            try {
              const header = { 'Idempotency-Key': key }
              await withRecentLogin(() => api.POST('/v0/withdrawal', { params: { header }, body: sent }))
            } catch (error) {
              if (isRejected(error)) attempt.current = undefined
              throw error
            }
            route('/console/money')
          }}
        >
          <p>
            <code>{address.trim()}</code>
          </p>
          <p>{texts.withdraw.confirm}</p>
        </ActDialog>
      )}
    </Page>
  )
}
