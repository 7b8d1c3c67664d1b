import { useState } from 'preact/hooks'
import { api, type Schemas } from '../../api/client.ts'
import { coinsText, plainAmount, unitsOf } from '../../core/coins.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/failed.tsx'
import { withRecentLogin } from '../../session/login-again.tsx'
import { texts } from '../../texts/index.ts'

/** The button of a withdrawal that waits, with which its owner pays what the network's fee has risen by. */
export function HigherFee({ withdrawal, onPaid }: { withdrawal: Schemas['Withdrawal']; onPaid(): void }) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <button type="button" class="btn" onClick={() => setAsking(true)}>
        {texts.money.higherFee}
      </button>
      {asking && <HigherFeeDialog withdrawal={withdrawal} onClose={() => setAsking(false)} onPaid={onPaid} />}
    </>
  )
}

function HigherFeeDialog(props: { withdrawal: Schemas['Withdrawal']; onClose(): void; onPaid(): void }) {
  const { id, blockchain, fee } = props.withdrawal
  const now = useLoad(() => api.GET('/v0/withdrawal/fee', { params: { query: { blockchain } } }), [blockchain])
  const paid = unitsOf(fee)
  const asked = now.data && unitsOf(now.data.fee)
  return (
    <ActDialog
      title={texts.money.higherFeeTitle}
      act={texts.money.higherFee}
      disabled={asked === undefined || asked <= paid}
      onClose={props.onClose}
      onAct={async () => {
        if (asked === undefined) return
        const body = { maxFee: plainAmount(asked) }
        await withRecentLogin(() => api.POST('/v0/withdrawal/{id}/fee', { params: { path: { id } }, body }))
        props.onPaid()
      }}
    >
      {now.error && <Failed error={now.error} again={now.reload} what={texts.withdraw.feeNow} />}
      {asked !== undefined && (
        <p>
          {asked > paid
            ? texts.money.higherFeeText(
                coinsText(asked, blockchain),
                coinsText(paid, blockchain),
                coinsText(asked - paid, blockchain),
              )
            : texts.money.noHigherFee(coinsText(paid, blockchain))}
        </p>
      )}
    </ActDialog>
  )
}
