import { useState } from 'preact/hooks'
import type { Schemas } from '../../api/client.ts'
import { coinsText } from '../../core/coins.ts'
import { useTask } from '../../hooks/use-task.ts'
import { Failed } from '../../parts/failed.tsx'
import { texts } from '../../texts/index.ts'
import { askPayment } from './ask-payment.ts'

/** Pays a request from the balance by one press, at its price and no more. Amounts in base units. */
export function FromBalance(props: { payment: Schemas['Payment']; balance: bigint; due: bigint; onPaid(): void }) {
  const { payment, balance, due } = props
  const [short, setShort] = useState(false)
  const { busy, error, run } = useTask()
  const pay = () => {
    setShort(false)
    void run(async () => {
      const { address } = await askPayment(payment.blockchain, payment.ids, due)
      if (address === undefined) props.onPaid()
      else setShort(true)
    })
  }
  const amount = coinsText(due, payment.paidIn)
  return (
    <section class="from-balance" aria-label={texts.pay.fromBalance}>
      <p>{texts.pay.balanceCovers(coinsText(balance, payment.paidIn), coinsText(balance - due, payment.paidIn))}</p>
      <button type="button" class="btn primary wrap" onClick={pay} disabled={busy}>
        {busy ? texts.pay.paying : texts.pay.useBalance(amount)}
      </button>
      {short && <p role="alert">{texts.pay.balanceChanged}</p>}
      {error && <Failed error={error} />}
    </section>
  )
}
