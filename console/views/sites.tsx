import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api } from '../api/client.ts'
import { useLoad } from '../hooks/use-load.ts'
import { ActDialog } from '../parts/dialog.tsx'
import { Failed } from '../parts/failed.tsx'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Tackle } from '../parts/motif.tsx'
import { Page, WaitingRows } from '../parts/page.tsx'
import { texts } from '../texts/index.ts'

/** The account's sites. */
export default function Sites() {
  const { route } = useLocation()
  const sites = useLoad(() => api.GET('/v0/site', { params: { query: {} } }), [])
  const [making, setMaking] = useState(false)
  const [name, setName] = useState('')
  const list = sites.data?.sites ?? []
  return (
    <Page
      title={texts.sites.title}
      lead={texts.sites.lead}
      acts={
        <button type="button" class="btn primary" onClick={() => setMaking(true)}>
          {texts.sites.make}
        </button>
      }
    >
      {sites.error && <Failed error={sites.error} again={sites.reload} />}
      {sites.waiting && !sites.data && <WaitingRows />}
      {sites.data && list.length === 0 && (
        <div class="empty">
          <Tackle />
          <h2>{texts.sites.emptyTitle}</h2>
          <p>{texts.sites.empty}</p>
        </div>
      )}
      {list.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>{texts.library.head.name}</th>
              <th>{texts.library.head.state}</th>
              <th>{texts.sites.domainName}</th>
            </tr>
          </thead>
          <tbody>
            {list.map((site) => (
              <tr key={site.id}>
                <td class="grow">
                  <a class="name" href={`/console/sites/${site.id}`}>
                    <Icon name="sites" />
                    {site.name}
                  </a>
                </td>
                <td>{site.version === null ? texts.sites.noVersion : texts.sites.version(site.version, '')}</td>
                <td class="full">
                  <a href={site.url} target="_blank" rel="noreferrer">
                    {site.host}
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {making && (
        <ActDialog
          title={texts.sites.make}
          act={texts.sites.make}
          disabled={name.trim() === ''}
          onClose={() => setMaking(false)}
          onAct={async () => {
            const site = await api.POST('/v0/site', { body: { name: name.trim() } })
            route(`/console/sites/${site.id}`)
          }}
        >
          <Field label={texts.sites.name} value={name} onValue={setName} />
        </ActDialog>
      )}
    </Page>
  )
}
