import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../../api/client.ts'
import { dayText } from '../../core/time-text.ts'
import { useAct } from '../../hooks/use-act.tsx'
import { useList } from '../../hooks/use-list.ts'
import { Icon } from '../../parts/icon.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Tackle } from '../../parts/motif.tsx'
import { Section } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites.ts'
import { findSites } from './find-sites.ts'

/** For an account without a site: its stored websites, each of which becomes one by a press, else how to begin. */
export function OfferWebsites() {
  const { route } = useLocation()
  const [act, failed] = useAct()
  const list = useList(
    (from) => findSites('', from === undefined ? 1 : Number(from)),
    'items',
    'id',
    [],
    ['item.stored'],
  )
  const make = ({ id, name }: Schemas['Item']) =>
    act(async () => {
      const header = { 'Idempotency-Key': `site-of-${id}` }
      const site = await api.POST('/v0/site', { params: { header }, body: { name, item: id } })
      route(`/console/sites/${site.id}`)
    })
  if (!list.data) return <Reading of={list} />
  if (list.rows.length === 0) {
    return (
      <div class="empty">
        <Tackle />
        <h2>{siteTexts.emptyTitle}</h2>
        <p>{siteTexts.empty}</p>
        <a class="btn" href="/console/store">
          {texts.nav.store}
        </a>
      </div>
    )
  }
  return (
    <Section title={siteTexts.offersTitle}>
      <p class="quiet after">{siteTexts.offers}</p>
      {failed}
      <table class="table">
        <tbody>
          {list.rows.map((item) => (
            <tr key={item.id}>
              <td class="grow">
                <a class="name" href={`/console/item/${item.id}`}>
                  <Icon name="page" />
                  <span>{item.name}</span>
                </a>
              </td>
              <td class="quiet">{dayText(item.createdAt)}</td>
              <td>
                <button type="button" class="btn" onClick={() => make(item)}>
                  {texts.item.makeSite}
                  <span class="vh"> {item.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <MoreButton more={list.more} />
    </Section>
  )
}
