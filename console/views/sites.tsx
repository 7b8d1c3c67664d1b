import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../api/client.ts'
import { atCursor, useList } from '../hooks/use-list.ts'
import { ActDialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Page } from '../parts/page.tsx'
import { Reading } from '../parts/reading.tsx'
import { TableHead } from '../parts/table.tsx'
import { texts } from '../texts/index.ts'
import { siteTexts } from '../texts/sites.ts'
import { OfferWebsites } from './site/offer-websites.tsx'

/** The account's sites. */
export default function Sites() {
  const { route } = useLocation()
  const read = (cursor?: string) => api.GET('/v0/site', { params: { query: atCursor(cursor) } })
  const sites = useList(read, 'sites', 'id', [])
  const [making, setMaking] = useState(false)
  const [name, setName] = useState('')
  return (
    <Page
      title={siteTexts.title}
      lead={siteTexts.lead}
      acts={
        <button type="button" class="btn primary" onClick={() => setMaking(true)}>
          {texts.site.make}
        </button>
      }
    >
      <Reading of={sites} />
      {sites.data && sites.rows.length === 0 && <OfferWebsites />}
      {sites.rows.length > 0 && (
        <table class="table">
          <TableHead columns={[texts.library.head.name, texts.library.head.state, siteTexts.domainName]} />
          <tbody>
            {sites.rows.map((site) => (
              <tr key={site.id}>
                <td class="grow">
                  <a class="name" href={`/console/sites/${site.id}`}>
                    <Icon name="sites" />
                    {site.name}
                  </a>
                </td>
                <td>{versionText(site)}</td>
                <td class="full">
                  <a href={site.addressUrl ?? site.url} target="_blank" rel="noreferrer">
                    {site.addressUrl ? new URL(site.addressUrl).host : site.host}
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <MoreButton more={sites.more} />
      {making && (
        <ActDialog
          title={texts.site.make}
          act={texts.site.make}
          disabled={name.trim() === ''}
          onClose={() => setMaking(false)}
          onAct={async () => {
            const site = await api.POST('/v0/site', { body: { name: name.trim() } })
            route(`/console/sites/${site.id}`)
          }}
        >
          <Field label={texts.site.name} value={name} onValue={setName} />
        </ActDialog>
      )}
    </Page>
  )
}

function versionText({ version, versions, waiting }: Schemas['Site']): string {
  if (waiting !== null) return siteTexts.rowWaits(waiting)
  if (version !== null) return siteTexts.version(version, '')
  return versions === 0 ? siteTexts.noVersion : siteTexts.previewsWait(versions)
}
