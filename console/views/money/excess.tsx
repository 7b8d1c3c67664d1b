import { coinsText, unitsOf } from '../../core/coins.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import { readPayment } from './payment-panel.tsx'

/** Most requests of an order that are read. */
const MAX_PAYMENTS = 10

/** Shows the excess of the payments for an order, and where it was credited. */
export function Excess({ addresses }: { addresses: readonly string[] }) {
  const { data } = useLoad(
    () => Promise.all(addresses.slice(0, MAX_PAYMENTS).map(readPayment)),
    [addresses.join()],
    ['request'],
  )
  const over = data?.filter(({ state, credited }) => state === 'settled' && unitsOf(credited) > 0n) ?? []
  const [first] = over
  if (!first) return null
  const sum = over.reduce((total, { credited }) => total + unitsOf(credited), 0n)
  return (
    <Notice>
      {texts.pay.excess(coinsText(sum, first.paidIn))} <a href="/console/money">{texts.pay.excessLink}</a>
    </Notice>
  )
}
