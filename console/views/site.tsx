import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { api, type Schemas } from '../api/client.ts'
import { atCursor, useList } from '../hooks/use-list.ts'
import { useLoad } from '../hooks/use-load.ts'
import { Icon } from '../parts/icon.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page, Section } from '../parts/page.tsx'
import { Reading } from '../parts/reading.tsx'
import { texts } from '../texts/index.ts'
import { siteTexts } from '../texts/sites.ts'
import { Problems } from './item/problems.tsx'
import { DeployVersion } from './site/deploy-version.tsx'
import { Domains } from './site/domains.tsx'
import { SiteActs } from './site/site-acts.tsx'
import { SiteAddress } from './site/site-address.tsx'
import { UpdateSite } from './site/update-site.tsx'
import { Versions } from './site/versions.tsx'

/** One site: its versions, its domains, and the faults of its newest version. */
export default function Site() {
  const { params } = useRoute()
  const id = params.id ?? ''
  const path = { id }
  const site = useLoad(() => api.GET('/v0/site/{id}', { params: { path } }), [id], ['item.stored'])
  const read = (cursor?: string) => api.GET('/v0/site/{id}/versions', { params: { path, query: atCursor(cursor) } })
  const versions = useList(read, 'versions', 'number', [id], ['item.stored'])
  const [deploying, setDeploying] = useState(false)
  const crumb = { href: '/console/sites', label: siteTexts.title }
  if (!site.data) {
    return (
      <Page title={site.error?.status === 404 ? texts.failures.gone : siteTexts.title} crumb={crumb}>
        <Reading of={site} />
      </Page>
    )
  }
  const { data } = site
  const link = data.addressUrl ?? data.url
  const list = versions.rows
  const newest = list[0]
  const reload = () => {
    site.reload()
    versions.restart()
  }
  return (
    <Page
      title={data.name}
      lead={
        <>
          <a href={link} target="_blank" rel="noreferrer">
            {data.addressUrl ? new URL(link).host : data.host}
          </a>{' '}
          {data.version === null ? showsNothing(data) : siteTexts.shows(data.version)}
        </>
      }
      crumb={crumb}
      acts={
        <>
          <a class="btn" href={link} target="_blank" rel="noreferrer">
            <Icon name="open" />
            {siteTexts.open}
          </a>
          <button type="button" class="btn" onClick={() => setDeploying(true)}>
            {siteTexts.deploy}
          </button>
        </>
      }
    >
      <SiteActs site={data} onRenamed={site.set} />
      {newest && <NewestVersion site={data} newest={newest} />}
      {versions.data && <UpdateSite site={{ id, name: data.name }} target={newest?.blockchain} />}
      <Section title={siteTexts.versions} aside={<span class="quiet small">{siteTexts.everywhere}</span>}>
        <Reading of={versions} what={siteTexts.versions} rows={3} />
        {versions.data && list.length === 0 && <p class="quiet after">{siteTexts.noVersionYet}</p>}
        <Versions site={data} versions={list} onChanged={reload} />
        <MoreButton more={versions.more} text={siteTexts.older(Math.max(1, data.versions - list.length))} />
      </Section>
      <SiteAddress site={data} onChanged={site.set} />
      <Domains site={id} shown={data.version !== null} />
      {newest && (
        <Section title={texts.item.problems(siteTexts.version(newest.number, ''))}>
          <Problems item={newest.item} />
        </Section>
      )}
      {deploying && <DeployVersion site={id} onClose={() => setDeploying(false)} onDeployed={reload} />}
    </Page>
  )
}

function showsNothing({ versions, waiting }: Schemas['Site']): string {
  if (waiting !== null) return siteTexts.showsOnceStored(waiting)
  return versions === 0 ? siteTexts.showsNothing : siteTexts.showsPreviews(versions)
}

/** Why a site does not show its newest version, and what to do. */
function NewestVersion({ site, newest }: { site: Schemas['Site']; newest: Schemas['SiteVersion'] }) {
  const { number, current, item, periods } = newest
  if (current === 'when_stored') {
    return (
      <Notice>
        <p>
          {siteTexts.waitsTitle(number)} <a href={`/console/item/${item}`}>{siteTexts.seeItem}</a>
        </p>
      </Notice>
    )
  }
  if (current === 'site_fails') {
    return (
      <Notice kind="warn">
        <p>
          <strong>{siteTexts.refusedTitle(number)}</strong>
        </p>
        <p>{siteTexts.refusedHelp}</p>
      </Notice>
    )
  }
  if (site.version === null || number <= site.version || periods.length === 0) return null
  return <Notice>{siteTexts.wentBack(site.version, number)}</Notice>
}
