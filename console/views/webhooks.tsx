import { useState } from 'preact/hooks'
import { api, type Schemas } from '../api/client.ts'
import { momentText } from '../core/time-text.ts'
import { useAct } from '../hooks/use-act.tsx'
import { useLoad } from '../hooks/use-load.ts'
import { CopyField } from '../parts/copy.tsx'
import { ActDialog } from '../parts/dialog.tsx'
import { Tackle } from '../parts/motif.tsx'
import { Notice, State } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Reading } from '../parts/reading.tsx'
import { texts } from '../texts/index.ts'
import { webhookTexts } from '../texts/webhooks.ts'
import { AddWebhook } from './webhooks/add-webhook.tsx'
import { kindsOf } from './webhooks/kinds.ts'

type Webhook = Schemas['Webhook']

/** The webhooks of the account. */
export default function Webhooks() {
  const webhooks = useLoad(() => api.GET('/v0/webhook'), [])
  const [adding, setAdding] = useState(false)
  const [ending, setEnding] = useState<Webhook>()
  const [secret, setSecret] = useState<string>()
  const list = webhooks.data?.webhooks ?? []
  return (
    <Page
      title={texts.nav.webhooks}
      lead={webhookTexts.lead}
      crumb={{ href: '/console/account', label: texts.nav.account }}
      narrow
      acts={
        <button type="button" class="btn primary" onClick={() => setAdding(true)}>
          {webhookTexts.add}
        </button>
      }
    >
      <Reading of={webhooks} rows={2} />
      {secret !== undefined && (
        <Notice icon="key" live>
          <p>{webhookTexts.secretOnce}</p>
          <CopyField label={webhookTexts.secret} text={secret} />
        </Notice>
      )}
      {webhooks.data && list.length === 0 && (
        <div class="empty">
          <Tackle />
          <h2>{webhookTexts.emptyTitle}</h2>
          <p>{webhookTexts.empty}</p>
        </div>
      )}
      {list.map((webhook) => (
        <Row key={webhook.id} webhook={webhook} onEnd={() => setEnding(webhook)} onChanged={webhooks.reload} />
      ))}
      {adding && (
        <AddWebhook
          onClose={() => setAdding(false)}
          onAdded={(given) => {
            setSecret(given)
            webhooks.reload()
          }}
        />
      )}
      {ending && (
        <ActDialog
          title={webhookTexts.endTitle}
          act={webhookTexts.end}
          danger
          onClose={() => setEnding(undefined)}
          onAct={async () => {
            await api.DELETE('/v0/webhook/{id}', { params: { path: { id: ending.id } } })
            webhooks.reload()
          }}
        >
          <p>
            <code>{ending.url}</code>
          </p>
          <p>{webhookTexts.endText}</p>
        </ActDialog>
      )}
    </Page>
  )
}

function Row({ webhook, onEnd, onChanged }: { webhook: Webhook; onEnd(): void; onChanged(): void }) {
  const { id, url } = webhook
  const [act, failed] = useAct()
  const [tested, setTested] = useState<{ taken: boolean; problem: string | null }>()
  const params = { path: { id } }
  const test = () =>
    act(async () => {
      setTested(undefined)
      setTested(await api.POST('/v0/webhook/{id}/test', { params }))
    })
  const resume = () =>
    act(async () => {
      await api.POST('/v0/webhook/{id}/resume', { params })
      onChanged()
    })
  return (
    <section class="webhook" aria-label={url}>
      <div class="row between">
        <div>
          <p>
            <strong>{url}</strong>
          </p>
          <p class="quiet small">{webhookTexts.told(kindsOf(webhook.types).join(', '))}</p>
        </div>
        <Standing webhook={webhook} />
      </div>
      {webhook.problem !== null && <p class="small">{webhookTexts.problem(webhook.problem)}</p>}
      <div class="row tight">
        {webhook.pausedAt !== null && (
          <button type="button" class="btn" onClick={resume}>
            {webhookTexts.resume}
          </button>
        )}
        {webhook.pausedAt === null && webhook.offAt === null && (
          <button type="button" class="btn" onClick={test}>
            {webhookTexts.test}
          </button>
        )}
        <button type="button" class="btn plain" onClick={onEnd}>
          {webhookTexts.end}
        </button>
      </div>
      {tested && (
        <p role="status">
          <State icon={tested.taken ? 'tick' : 'warning'} kind={tested.taken ? undefined : 'bad'}>
            {tested.taken ? webhookTexts.taken : webhookTexts.notTaken(tested.problem ?? '')}
          </State>
        </p>
      )}
      {failed}
    </section>
  )
}

function Standing({ webhook }: { webhook: Webhook }) {
  const { offAt, pausedAt, failingSince, createdAt } = webhook
  if (offAt !== null) {
    return <State kind="bad">{webhookTexts.off(momentText(offAt))}</State>
  }
  if (pausedAt !== null) {
    return (
      <State kind="warn" icon="pause">
        {webhookTexts.paused(momentText(pausedAt))}
      </State>
    )
  }
  if (failingSince !== null) {
    return (
      <State kind="warn" icon="warning">
        {webhookTexts.failing(momentText(failingSince))}
      </State>
    )
  }
  return <State icon="tick">{webhookTexts.since(momentText(createdAt))}</State>
}
