import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { HooklineError } from '../../client/http/api-error.ts'
import { itemState } from '../../client/item-state.ts'
import { api } from '../api/client.ts'
import { isSite } from '../core/is-site.ts'
import { typeInWords } from '../core/type-in-words.ts'
import { shareOf } from '../core/upload-rate.ts'
import { useAct } from '../hooks/use-act.tsx'
import { useLoad } from '../hooks/use-load.ts'
import { ActDialog } from '../parts/dialog.tsx'
import { Failed } from '../parts/failed.tsx'
import { Field } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { ItemState } from '../parts/item-state.tsx'
import { LongLine } from '../parts/motif.tsx'
import { Bar, Notice } from '../parts/notice.tsx'
import { Page, Section, WaitingRows } from '../parts/page.tsx'
import { RenameDialog } from '../parts/rename-dialog.tsx'
import { may } from '../session/access.ts'
import { texts } from '../texts/index.ts'
import { FoldedTransactions } from './item/folded-transactions.tsx'
import { ItemFacts } from './item/item-facts.tsx'
import { KeepOrNot } from './item/keep-or-not.tsx'
import { Problems } from './item/problems.tsx'
import { TypeDialog } from './item/type-dialog.tsx'
import { UseIt, VerifiedContent } from './item/verified-content.tsx'
import { WebsiteFiles } from './item/website-files.tsx'
import { itemEntry, move, rename } from './library/entry.ts'
import { MoveDialog } from './library/move-dialog.tsx'
import { placeHref } from './library/read-place.ts'
import { save } from './library/selection-bar.tsx'
import { askPayment } from './money/ask-payment.ts'

/** One item: its verified content, where it is stored and how to use it. */
export default function Item() {
  const { params } = useRoute()
  const { route } = useLocation()
  const id = params.id ?? ''
  const item = useLoad(() => api.GET('/v0/item/{id}', { params: { path: { id } } }), [id], ['item', 'request'])
  const [act, failed] = useAct()
  const [asking, setAsking] = useState<'site' | 'rename' | 'move' | 'type'>()
  const close = () => setAsking(undefined)
  const crumb = { href: placeHref(), label: texts.nav.library }
  if (!item.data) {
    const gone = item.error?.status === 404
    return (
      <Page title={gone ? texts.item.unknown : texts.nav.library} crumb={crumb}>
        {item.error && !gone && <Failed error={item.error} again={item.reload} />}
        {gone && (
          <a class="btn" href="/console/library">
            {texts.failures.toLibrary}
          </a>
        )}
        {item.waiting && <WaitingRows />}
      </Page>
    )
  }
  const { data } = item
  const above = data.folder === null ? [] : [{ href: placeHref(data.folder), label: data.path ?? '' }]
  const state = itemState(data)
  const pay = () =>
    act(async () => {
      const { address } = await askPayment(data.blockchain, [data.id])
      if (address === undefined) item.reload()
      else route(`/console/pay/${address}`)
    })
  const download = () =>
    act(async () => {
      if (!(await save(data))) throw new HooklineError('not_saved', texts.library.notDownloaded(data.name))
    })
  const retry = () =>
    act(async () => {
      await api.POST('/v0/item/{id}/retry', { params: { path: { id } } })
      item.reload()
    })
  return (
    <Page
      title={data.name}
      lead={texts.item.lead(
        data.files ? texts.library.files(data.files) : typeInWords(data.mimetype),
        data.size,
        texts.whereLower[data.blockchain],
      )}
      crumb={[crumb, ...above]}
      acts={
        state === 'stored' ? (
          <>
            <a class="btn" href={`/console/item/${id}/receipt`}>
              {texts.done.receipt}
            </a>
            {isSite(data) && (
              <button type="button" class="btn" onClick={() => setAsking('site')}>
                {texts.item.makeSite}
              </button>
            )}
            <button type="button" class="btn primary" onClick={download}>
              <Icon name="download" />
              {texts.library.download}
            </button>
          </>
        ) : state === 'unpaid' ? (
          <button type="button" class="btn primary" onClick={pay}>
            {texts.item.pay}
          </button>
        ) : state === 'stopped' && may('operate') ? (
          <button type="button" class="btn primary" onClick={retry}>
            {texts.item.retry}
          </button>
        ) : undefined
      }
    >
      {failed}
      {state !== 'stored' && (
        <div class="stack">
          <p>
            <ItemState item={data} />
          </p>
          {data.message && (
            <Notice {...(state === 'stopped' && { kind: 'bad' as const })}>
              <p>{data.message}</p>
              {state === 'stopped' && !may('operate') && <p class="quiet">{texts.item.waitsFor}</p>}
            </Notice>
          )}
          <LongLine name={data.cid ?? undefined} state={data.cid ? 'written' : 'unknown'} />
          {state === 'uploading' && (
            <>
              <Bar label={data.name} share={shareOf(data.received ?? 0, data.size)} />
              <p>
                <a class="btn" href="/console/store">
                  {texts.item.continueUpload}
                </a>
              </p>
            </>
          )}
        </div>
      )}
      {state === 'stored' && <VerifiedContent key={data.mimetype} item={data} />}
      {state === 'stored' && (
        <Section title={texts.item.use}>
          <div class="stack loose after-small">
            <UseIt item={data} />
          </div>
        </Section>
      )}
      <Section title={texts.item.facts}>
        <ItemFacts
          item={data}
          onRename={() => setAsking('rename')}
          onMove={() => setAsking('move')}
          onType={() => setAsking('type')}
        />
        {state === 'stored' && data.blockchain !== 'IPFS' && <p class="quiet small note">{texts.item.forGood}</p>}
        {data.blockchain !== 'IPFS' && (data.transactions ?? 0) > 0 && <FoldedTransactions item={data} />}
      </Section>
      {data.files ? (
        <>
          <WebsiteFiles item={data} />
          <Section title={texts.item.problems(data.name)}>
            <Problems item={id} />
          </Section>
        </>
      ) : null}
      {data.directory === undefined && <KeepOrNot item={data} onChanged={item.set} />}
      {asking === 'site' && <MakeSite item={id} name={data.name} onClose={close} />}
      {asking === 'rename' && (
        <RenameDialog
          name={data.name}
          onClose={close}
          onName={async (name) => {
            await rename(itemEntry(data), name)
            item.reload()
          }}
        />
      )}
      {asking === 'type' && <TypeDialog item={data} onClose={close} onChanged={item.set} />}
      {asking === 'move' && (
        <MoveDialog
          title={texts.library.moveTitle(data.name)}
          blockchain={data.blockchain}
          moved={[]}
          onClose={close}
          onMove={async (to) => {
            await move(itemEntry(data), to)
            item.reload()
          }}
        />
      )}
    </Page>
  )
}

function MakeSite({ item, name, onClose }: { item: string; name: string; onClose(): void }) {
  const { route } = useLocation()
  const [text, setText] = useState(name)
  return (
    <ActDialog
      title={texts.site.make}
      act={texts.site.make}
      disabled={text.trim() === ''}
      onClose={onClose}
      onAct={async () => {
        const site = await api.POST('/v0/site', { body: { name: text.trim(), item } })
        route(`/console/sites/${site.id}`)
      }}
    >
      <Field label={texts.site.name} value={text} onValue={setText} />
    </ActDialog>
  )
}
