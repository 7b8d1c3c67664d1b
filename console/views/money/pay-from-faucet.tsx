import { useState } from 'preact/hooks'
import { plainAmount } from '../../core/coins.ts'
import { useTask } from '../../hooks/use-task.ts'
import { texts } from '../../texts/index.ts'

/** Pays from the faucet of the embedded chains by one press. Amounts in base units. */
export function PayFromFaucet(props: { faucet: string; blockchain: string; address: string; units: bigint }) {
  const { faucet, blockchain, address, units } = props
  const [paid, setPaid] = useState(false)
  const { busy, error, run } = useTask()
  const pay = () =>
    run(async () => {
      const body = new URLSearchParams({ blockchain, address, amount: plainAmount(units) })
      const { ok, status } = await fetch(faucet, { method: 'POST', body })
      if (!ok) throw new Error(`The faucet answered ${status}.`)
      setPaid(true)
    })
  if (paid) return <p role="status">{texts.pay.faucetPaid}</p>
  return (
    <>
      <button type="button" class="btn plain wide" disabled={busy} onClick={pay}>
        {texts.pay.faucet}
      </button>
      {error && <p role="alert">{texts.pay.faucetFailed}</p>}
    </>
  )
}
