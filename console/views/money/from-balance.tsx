import { useState } from 'preact/hooks'
import type { HooklineError } from '../../../client/http/api-error.ts'
import type { Schemas } from '../../api/client.ts'
import { asFailure } from '../../api/failure.ts'
import { coinsText } from '../../core/coins.ts'
import { Failed } from '../../parts/failed.tsx'
import { texts } from '../../texts/index.ts'
import { askPayment } from './ask-payment.ts'

/** Pays a request from the balance by one press, at its price and no more. Amounts in base units. */
export function FromBalance(props: { payment: Schemas['Payment']; balance: bigint; due: bigint; onPaid(): void }) {
  const { payment, balance, due } = props
  const [busy, setBusy] = useState(false)
  const [short, setShort] = useState(false)
  const [error, setError] = useState<HooklineError>()
  const pay = async () => {
    setBusy(true)
    setShort(false)
    setError(undefined)
    try {
      const { address } = await askPayment(payment.blockchain, payment.ids, due)
      if (address === undefined) props.onPaid()
      else setShort(true)
    } catch (failure) {
      setError(asFailure(failure))
    }
    setBusy(false)
  }
  const amount = coinsText(due, payment.paidIn)
  return (
    <section class="from-balance" aria-label={texts.pay.fromBalance}>
      <p>{texts.pay.balanceCovers(coinsText(balance, payment.paidIn), coinsText(balance - due, payment.paidIn))}</p>
      <button type="button" class="btn primary" onClick={pay} disabled={busy}>
        {busy ? texts.pay.paying : texts.pay.useBalance(amount)}
      </button>
      {short && <p role="alert">{texts.pay.balanceChanged}</p>}
      {error && <Failed error={error} />}
    </section>
  )
}
