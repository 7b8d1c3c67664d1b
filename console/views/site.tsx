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
import { Problems } from './item/problems.tsx'
import { DeployVersion } from './site/deploy-version.tsx'
import { Domains } from './site/domains.tsx'
import { SiteActs } from './site/site-acts.tsx'
import { UpdateSite } from './site/update-site.tsx'
import { Versions } from './site/versions.tsx'

/** One site: its versions, its domains, and the faults of its newest version. */
export default function Site() {
  const { params } = useRoute()
  const id = params.id ?? ''
  const path = { id }
  const site = useLoad(() => api.GET('/v0/site/{id}', { params: { path } }), [id])
  const read = (cursor?: string) => api.GET('/v0/site/{id}/versions', { params: { path, query: atCursor(cursor) } })
  const versions = useList(read, 'versions', 'number', [id], ['item.stored'])
  const [deploying, setDeploying] = useState(false)
  const crumb = { href: '/console/sites', label: texts.sites.title }
  if (!site.data) {
    return (
      <Page title={site.error?.status === 404 ? texts.failures.gone : texts.sites.title} crumb={crumb}>
        <Reading of={site} />
      </Page>
    )
  }
  const { data } = site
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
          <a href={data.url} target="_blank" rel="noreferrer">
            {data.host}
          </a>{' '}
          {data.version === null ? showsNothing(data) : texts.sites.shows(data.version)}
        </>
      }
      crumb={crumb}
      acts={
        <>
          <a class="btn" href={data.url} target="_blank" rel="noreferrer">
            <Icon name="open" />
            {texts.sites.open}
          </a>
          <button type="button" class="btn" onClick={() => setDeploying(true)}>
            {texts.sites.deploy}
          </button>
        </>
      }
    >
      <SiteActs site={data} onRenamed={site.set} />
      {data.version !== null && newest && newest.number > data.version && newest.periods.length > 0 && (
        <Notice>{texts.sites.wentBack(data.version, newest.number)}</Notice>
      )}
      {versions.data && <UpdateSite site={{ id, name: data.name }} target={newest?.blockchain} />}
      <Section title={texts.sites.versions} aside={<span class="quiet small">{texts.sites.everywhere}</span>}>
        <Reading of={versions} what={texts.sites.versions} rows={3} />
        {versions.data && list.length === 0 && <p class="quiet after">{texts.sites.noVersionYet}</p>}
        <Versions site={data} versions={list} onChanged={reload} />
        <MoreButton more={versions.more} text={texts.sites.older(Math.max(1, data.versions - list.length))} />
      </Section>
      <Domains site={id} shown={data.version !== null} />
      {newest && (
        <Section title={texts.item.problems(texts.sites.version(newest.number, ''))}>
          <Problems item={newest.item} />
        </Section>
      )}
      {deploying && <DeployVersion site={id} onClose={() => setDeploying(false)} onDeployed={reload} />}
    </Page>
  )
}

function showsNothing({ versions }: Schemas['Site']): string {
  return versions === 0 ? texts.sites.showsNothing : texts.sites.showsPreviews(versions)
}
