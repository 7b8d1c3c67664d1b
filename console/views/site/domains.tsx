import { useState } from 'preact/hooks'
import { api, type Schemas } from '../../api/client.ts'
import { clockText, momentText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useTask } from '../../hooks/use-task.ts'
import { CopyField } from '../../parts/copy.tsx'
import { ActDialog } from '../../parts/dialog.tsx'
import { Failed } from '../../parts/failed.tsx'
import { Field } from '../../parts/field.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { State } from '../../parts/notice.tsx'
import { Section } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { TableHead } from '../../parts/table.tsx'
import { settings } from '../../shell/settings.ts'
import { texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites.ts'

type Check = Schemas['Domain']

/** The host of what somebody typed or pasted, an address or letters of any script, as DNS has it (RFC 5891). */
function hostOf(typed: string): string {
  const text = typed.trim()
  const url = /^https?:\/\//i.test(text) ? text : `https://${text}`
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : ''
}

/** Whether a host is the top of a domain, where there can be no CNAME (RFC 1912, 2.4): one label below a public suffix. */
const isTop = (host: string) => host.split('.').length === 2

/** A host name with a dot, as people type it. */
const HOST = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/

/** The domains of a site, each with the steps of its check. A new one is offered only where it would be accepted. */
export function Domains({ site, shown }: { site: string; shown: boolean }) {
  const domains = useLoad(() => api.GET('/v0/domain', { params: { query: { site } } }), [site])
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<string>()
  const list = domains.data?.domains ?? []
  const able = settings.value?.domains ?? false
  return (
    <Section
      title={siteTexts.domains}
      aside={
        able &&
        shown && (
          <button type="button" class="btn" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            {siteTexts.addDomain}
          </button>
        )
      }
    >
      <Reading of={domains} what={siteTexts.domains} rows={2} />
      {domains.data && list.length === 0 && (
        <p class="quiet after">{!able ? siteTexts.noDomains : shown ? siteTexts.noDomain : siteTexts.domainLater}</p>
      )}
      {list.map((domain) => (
        <Domain key={domain.host} domain={domain} onRemove={() => setRemoving(domain.host)} />
      ))}
      {adding && <AddDomain site={site} onClose={() => setAdding(false)} onAdded={domains.reload} />}
      {removing !== undefined && (
        <ActDialog
          title={siteTexts.removeDomain(removing)}
          act={siteTexts.remove}
          danger
          onClose={() => setRemoving(undefined)}
          onAct={async () => {
            await api.DELETE('/v0/domain/{host}', { params: { path: { host: removing } } })
            domains.reload()
          }}
        >
          <p>{siteTexts.removeText}</p>
        </ActDialog>
      )}
    </Section>
  )
}

const SIGNS: Record<string, [IconName, 'warn' | 'bad' | 'quiet' | undefined]> = {
  ok: ['tick', undefined],
  waiting: ['clock', 'warn'],
  failed: ['warning', 'bad'],
  unknown: ['clock', 'quiet'],
}

function Domain({ domain, onRemove }: { domain: Check; onRemove(): void }) {
  const [checked, setChecked] = useState<Check>()
  const { busy, error, run } = useTask()
  const now = checked ?? domain
  const active = now.status === 'active'
  const [open, setOpen] = useState(!active)
  const check = () =>
    run(async () => {
      setChecked(await api.POST('/v0/domain/{host}/check', { params: { path: { host: domain.host } } }))
      setOpen(true)
    })
  return (
    <div class="domain">
      <div class="row between">
        <span class="row">
          <strong>{domain.host}</strong>
          {active ? (
            <State icon="tick">{siteTexts.pointsHere}</State>
          ) : (
            <State kind="warn" icon="clock">
              {siteTexts.waiting}
            </State>
          )}
        </span>
        <span class="row tight">
          <button type="button" class="btn" onClick={check} disabled={busy}>
            {busy ? siteTexts.testing : siteTexts.test}
          </button>
          <button type="button" class="btn plain" onClick={onRemove} aria-label={`${siteTexts.remove} ${domain.host}`}>
            {siteTexts.remove}
          </button>
        </span>
      </div>
      {error && <Failed error={error} />}
      {open && (
        <>
          {!active && now.records.length > 0 && (
            <div class="notice warn block after">
              <p>{now.records.length > 1 ? siteTexts.makeOneRecord(domain.host) : siteTexts.makeRecord(domain.host)}</p>
              {isTop(domain.host) && <p>{siteTexts.apexRecord(domain.host)}</p>}
              {now.records.map((record, index) => (
                <dl class="facts middle" key={record.name + record.type}>
                  {index > 0 && <dt class="full">{siteTexts.or}</dt>}
                  <dt>{siteTexts.recordType}</dt>
                  <dd>
                    <code>{record.type === 'CNAME' && isTop(domain.host) ? 'ALIAS' : record.type}</code>
                  </dd>
                  <dt>{siteTexts.recordName}</dt>
                  <dd>
                    <CopyField label="" text={record.name} />
                  </dd>
                  <dt>{siteTexts.recordContent}</dt>
                  <dd>
                    <CopyField label="" text={record.content} clip />
                  </dd>
                </dl>
              ))}
              {now.waitsUntil !== null && <p class="quiet small">{siteTexts.looksUntil(momentText(now.waitsUntil))}</p>}
            </div>
          )}
          <table class="table checks">
            <TableHead
              columns={[
                siteTexts.test,
                texts.library.head.state,
                siteTexts.found,
                siteTexts.wanted,
                { num: siteTexts.checked },
              ]}
            />
            <tbody>
              {now.steps.map(({ step, state, found, wanted, checkedAt }) => {
                const [icon, kind] = SIGNS[state] ?? ['clock', 'quiet']
                return (
                  <tr key={step}>
                    <td class="grow">{siteTexts.steps[step]}</td>
                    <td>
                      <State icon={icon} kind={kind}>
                        {siteTexts.stepStates[state]}
                      </State>
                    </td>
                    <td data-l={siteTexts.found}>
                      <code>{found ?? (state === 'failed' ? siteTexts.nothingFound : '')}</code>
                    </td>
                    <td data-l={siteTexts.wanted}>{wanted !== null && <code>{wanted}</code>}</td>
                    <td class="num quiet">{checkedAt !== null && clockText(checkedAt)}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </>
      )}
    </div>
  )
}

function AddDomain(props: { site: string; onClose(): void; onAdded(): void }) {
  const [host, setHost] = useState('')
  const name = hostOf(host)
  const typed = host.trim().toLowerCase()
  return (
    <ActDialog
      title={siteTexts.addDomain}
      act={siteTexts.domainAdd}
      disabled={!HOST.test(name)}
      onClose={props.onClose}
      onAct={async () => {
        await api.POST('/v0/domain', { body: { host: name, site: props.site, wait: true } })
        props.onAdded()
      }}
    >
      <Field
        label={siteTexts.domainName}
        help={name !== typed && HOST.test(name) ? siteTexts.domainAscii(name) : siteTexts.domainHelp}
        value={host}
        onValue={setHost}
        fault={HOST.test(name) ? undefined : siteTexts.domainBad}
      />
    </ActDialog>
  )
}
