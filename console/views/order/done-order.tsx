import { useEffect, useState } from 'preact/hooks'
import { api, type Schemas } from '../../api/client.ts'
import { kindOf } from '../../core/media-type-of.ts'
import type { Order, SiteOfOrder } from '../../core/order.ts'
import { groupDigits } from '../../core/size-text.ts'
import { momentText } from '../../core/time-text.ts'
import { useAct } from '../../hooks/use-act.tsx'
import { useLoad } from '../../hooks/use-load.ts'
import { Icon } from '../../parts/icon.tsx'
import { LongLine } from '../../parts/motif.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { Reading } from '../../parts/reading.tsx'
import { texts } from '../../texts/index.ts'
import { addToSite } from '../../upload/add-to-site.ts'
import { canVerify, verifyContent } from '../../verify/verify-content.ts'
import { contentOf, UseIt, VerifiedContent } from '../item/verified-content.tsx'
import { Excess } from '../money/excess.tsx'
import { AddressOfOrder } from './address-of-order.tsx'

/** Most items of an order that are verified automatically; others are verified when they are opened. */
const MAX_VERIFIED = 20

/** A stored order: its content, read back and verified in this browser. */
export function DoneOrder({ order }: { order: Order }) {
  const stored = order.items.filter(({ state }) => state === 'stored')
  const [first, ...rest] = stored
  const files = order.files.filter(({ state }) => state === 'uploaded').length
  const item = useLoad(() => api.GET('/v0/item/{id}', { params: { path: { id: first?.id ?? '' } } }), [first?.id])
  const [verified, setVerified] = useState(0)
  return (
    <Page
      title={texts.done.title(files, order.blockchain)}
      lead={texts.done.lead(order.blockchain)}
      crumb={{ href: '/console/store', label: texts.order.title(momentText(order.createdAt)) }}
      acts={
        <>
          {first && (
            <a class="btn" href={`/console/item/${first.id}/receipt`}>
              {texts.done.receipt}
            </a>
          )}
          <a class="btn primary" href="/console/library">
            {texts.done.library}
          </a>
        </>
      }
    >
      <Excess addresses={order.payments} />
      {order.site && first && <StoredForSite order={order.id} site={order.site} />}
      {order.site && first && <AddressOfOrder order={order.id} site={order.site} />}
      <Reading of={item} rows={4} />
      {item.data && (
        <div class="split">
          <VerifiedContent item={item.data} reload onVerified={() => setVerified((count) => count + 1)} />
          <div class="stack loose">
            <div>
              <h2>{item.data.name}</h2>
              {rest.length > 0 && <p class="quiet">{texts.done.nth(1, stored.length)}</p>}
            </div>
            <UseIt item={item.data} />
          </div>
        </div>
      )}
      {rest.length > 0 && (
        <Section
          title={texts.done.others(rest.length)}
          aside={
            <span class={verified > 0 ? 'sound' : 'quiet'}>
              {texts.done.verifiedOf(groupDigits(verified), groupDigits(stored.length))}
            </span>
          }
        >
          <table class="table">
            <tbody>
              {rest.slice(0, MAX_VERIFIED - 1).map((each) => (
                <Row
                  key={each.id}
                  id={each.id}
                  name={each.name}
                  size={each.size}
                  onVerified={() => setVerified((count) => count + 1)}
                />
              ))}
            </tbody>
          </table>
          <p class="after">
            <a class="btn plain" href="/console/library">
              {texts.done.showAll}
            </a>
          </p>
        </Section>
      )}
    </Page>
  )
}

/** Makes a stored item a version of its site, unless that was done while it was written, and says so. */
function StoredForSite({ order, site }: { order: string; site: SiteOfOrder }) {
  const [act, failed] = useAct()
  const { added } = site
  useEffect(() => {
    if (!added) void act(() => addToSite(order))
  }, [order, added])
  if (added) {
    return (
      <Notice>
        <p>
          {site.tryFirst ? texts.site.storedToTry(site.name) : texts.site.storedShown(site.name)}{' '}
          <a href={`/console/sites/${site.id}`}>{texts.site.toSite(site.name)}</a>
        </p>
      </Notice>
    )
  }
  return (
    <Notice>
      <p>{texts.site.stored(site.name)}</p>
      {failed}
      <p class="after-small">
        <button type="button" class="btn" onClick={() => act(() => addToSite(order))}>
          {site.tryFirst ? texts.site.addIt : texts.site.showIt}
        </button>
      </p>
    </Notice>
  )
}

/** A row whose content is verified without being shown; only the result is shown. */
function Row(props: { id: string; name: string; size: number; onVerified(): void }) {
  const item = useLoad(() => api.GET('/v0/item/{id}', { params: { path: { id: props.id } } }), [props.id])
  const [state, setState] = useState<'written' | 'verified' | 'refused'>('written')
  const { onVerified } = props
  useEffect(() => {
    if (item.data) void readBack(item.data, setState, onVerified)
  }, [item.data])
  return (
    <tr>
      <td class="grow">
        <a class="name" href={`/console/item/${props.id}`}>
          <Icon name={kindOf(item.data?.mimetype ?? '')} />
          <span>{props.name}</span>
        </a>
      </td>
      <td>
        <LongLine small name={item.data?.cid ?? item.data?.txids?.[0]} state={state} />
      </td>
      <td class="num push">{texts.store.exactly(props.size)}</td>
    </tr>
  )
}

async function readBack(item: Schemas['Item'], set: (state: 'verified' | 'refused') => void, onVerified: () => void) {
  const content = contentOf(item)
  if (!canVerify(content)) return
  // A link accepts any media type and shows no content by itself.
  const verdict = await verifyContent(
    { ...content, mimetype: 'application/octet-stream' },
    document.createElement('div'),
    {
      reload: true,
    },
  )
  if (verdict.kind === 'verified') {
    set('verified')
    onVerified()
  } else if (verdict.kind === 'refused') set('refused')
}
