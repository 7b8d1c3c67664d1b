import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Choices, Field } from '../../parts/field.tsx'
import { may } from '../../session/access.ts'
import { webhookTexts } from '../../texts/webhooks.ts'
import { KINDS, type Kind, typesOf } from './kinds.ts'

/** The dialog that creates a webhook: its URL and its events. */
export function AddWebhook(props: { onClose(): void; onAdded(secret: string): void }) {
  const [url, setUrl] = useState('')
  const [kinds, setKinds] = useState<ReadonlySet<Kind>>(new Set(['items', 'payments']))
  const address = url.trim()
  const wrong = !/^https?:\/\/[^/]/i.test(address)
  return (
    <ActDialog
      title={webhookTexts.add}
      act={webhookTexts.add}
      disabled={wrong || kinds.size === 0}
      onClose={props.onClose}
      onAct={async () => {
        const { secret } = await api.POST('/v0/webhook', { body: { url: address, types: typesOf(kinds) } })
        props.onAdded(secret)
      }}
    >
      <Field
        label={webhookTexts.url}
        help={webhookTexts.urlHelp}
        value={url}
        onValue={setUrl}
        fault={wrong ? webhookTexts.urlBad : undefined}
      />
      <Choices
        label={webhookTexts.toldOf}
        values={KINDS.filter((kind) => kind !== 'service' || may('operate'))}
        chosen={kinds}
        onChosen={setKinds}
        textOf={(kind) => webhookTexts.kinds[kind]}
      />
    </ActDialog>
  )
}
