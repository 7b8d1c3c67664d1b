import { useId, useState } from 'preact/hooks'
import { api, type Schemas } from '../../api/client.ts'
import { useTask } from '../../hooks/use-task.ts'
import { Failed } from '../../parts/failed.tsx'
import { Check } from '../../parts/field.tsx'
import { Section } from '../../parts/page.tsx'
import { accountTexts } from '../../texts/account.ts'

/** Most characters of the buyer on receipts. */
const MAX_BUYER = 500

/** Who buys, as receipts name it, and whether the account wants mails about its orders. */
export function Receipts(props: { profile: Schemas['Profile']; onSaved(profile: Schemas['Profile']): void }) {
  const id = useId()
  const [buyer, setBuyer] = useState(props.profile.buyer)
  const [orderMails, setOrderMails] = useState(props.profile.orderMails)
  const [saved, setSaved] = useState(false)
  const { busy, error, run } = useTask()
  const save = (event: Event) => {
    event.preventDefault()
    setSaved(false)
    void run(async () => {
      props.onSaved(await api.PUT('/v0/user', { body: { buyer: buyer.trim(), orderMails } }))
      setSaved(true)
    })
  }
  return (
    <Section title={accountTexts.receipts}>
      <form class="form after" onSubmit={save}>
        <div class="field">
          <label for={id}>{accountTexts.buyer}</label>
          <textarea
            id={id}
            class="input"
            rows={4}
            maxlength={MAX_BUYER}
            autocomplete="street-address"
            value={buyer}
            aria-describedby={`${id}-help`}
            onInput={(event) => setBuyer(event.currentTarget.value)}
          />
          <small id={`${id}-help`}>{accountTexts.buyerHelp}</small>
        </div>
        <Check checked={orderMails} onChange={setOrderMails}>
          {accountTexts.orderMails}
        </Check>
        {error && <Failed error={error} />}
        <p class="row">
          <button type="submit" class="btn" disabled={busy}>
            {busy ? accountTexts.saving : accountTexts.save}
          </button>
          {saved && <span role="status">{accountTexts.saved}</span>}
        </p>
      </form>
    </Section>
  )
}
