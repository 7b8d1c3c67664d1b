import { useEffect, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { api, type Schemas } from '../api/client.ts'
import { groupDigits, sizeText } from '../core/size-text.ts'
import { clockText } from '../core/time-text.ts'
import { useLoad } from '../hooks/use-load.ts'
import { online } from '../hooks/use-online.ts'
import { Failed } from '../parts/failed.tsx'
import { Segments } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Tackle } from '../parts/motif.tsx'
import { Page, WaitingRows } from '../parts/page.tsx'
import { Pages } from '../parts/pages.tsx'
import { texts } from '../texts/index.ts'
import { readSetting, writeSetting } from '../upload/order-store.ts'
import { ItemTable } from './library/item-table.tsx'
import { ItemTiles } from './library/item-tiles.tsx'
import { NewFolder } from './library/new-folder.tsx'
import { SelectionBar } from './library/selection-bar.tsx'
import { SORTS, type Sort } from './library/sort.ts'

const PAGE = 50
const STATUSES = ['200', '202', '402', '201', '409'] as const
type Status = (typeof STATUSES)[number]
/** Typing asks once, when it is quiet for so long. */
const QUIET_MS = 250

/** Folders and items, found by name, by state and by page. */
export default function Library() {
  const { query, params } = useRoute()
  const { route, path } = useLocation()
  const folder = params.folder
  const status = STATUSES.find((each) => each === query.status)
  const sort = SORTS.find((each) => each === query.sort) ?? '-created'
  const name = query.name ?? ''
  const page = Math.max(1, Number.parseInt(query.page ?? '1', 10) || 1)
  const [view, setView] = useState<'table' | 'tiles'>('table')
  const [selected, setSelected] = useState<ReadonlyMap<string, Schemas['Item']>>(new Map())
  const [making, setMaking] = useState(false)
  const [readAt, setReadAt] = useState(0)

  useEffect(() => {
    void readSetting('library-view').then((kept) => kept === 'tiles' && setView('tiles'))
  }, [])
  const filtered = status !== undefined || name !== ''
  const everything = !filtered && page === 1
  const counts = useLoad(() => api.GET('/v0/item/counts'), [], ['item.', 'request.'])
  const folders = useLoad(
    async () =>
      everything ? (await api.GET('/v0/folder', { params: { query: { parent: folder ?? 'none' } } })).folders : [],
    [folder, everything],
  )
  const items = useLoad(
    () => {
      setReadAt(Date.now() / 1000)
      const asked = {
        sort,
        page,
        ...(name !== '' && { name }),
        ...(status !== undefined && { status }),
        ...(folder !== undefined ? { folder } : !filtered && { folder: 'none' }),
      }
      return api.GET('/v0/item', { params: { query: asked } })
    },
    [folder, status, sort, name, page],
    ['item', 'request'],
  )
  const href = (fields: { status?: Status | undefined; sort?: Sort; name?: string; page?: number }) => {
    const next = { status, sort, name, ...fields }
    const search = new URLSearchParams()
    if (next.status) search.set('status', next.status)
    if (next.sort !== '-created') search.set('sort', next.sort)
    if (next.name) search.set('name', next.name)
    if (fields.page && fields.page > 1) search.set('page', String(fields.page))
    const text = search.toString()
    return text === '' ? path : `${path}?${text}`
  }
  const chooseView = (next: 'table' | 'tiles') => {
    setView(next)
    void writeSetting('library-view', next)
  }
  const reload = () => {
    items.reload()
    counts.reload()
    folders.reload()
  }
  const rows = items.data?.items ?? []
  const total = items.data?.total ?? undefined
  const empty =
    counts.data?.total === 0 && rows.length === 0 && (folders.data?.length ?? 0) === 0 && items.data !== undefined
  if (empty && folder === undefined) return <Empty />
  const pages = items.data?.pages ?? 1
  return (
    <Page
      title={texts.library.title}
      lead={
        online.value
          ? counts.data && texts.library.total(groupDigits(counts.data.total), sizeText(counts.data.bytes))
          : texts.library.asOf(clockText(readAt))
      }
      {...(folder !== undefined && { crumb: { href: '/console/library', label: texts.library.title } })}
      acts={
        <>
          <button type="button" class="btn" onClick={() => setMaking(true)} disabled={!online.value}>
            <Icon name="plus" />
            {texts.library.newFolder}
          </button>
          <a class="btn primary" href="/console/store">
            {texts.nav.store}
          </a>
        </>
      }
    >
      <div class="row between tools">
        <Search name={name} onName={(next) => route(href({ name: next }), true)} />
        <Segments
          class="view"
          label={texts.library.view}
          value={view}
          options={[
            { value: 'table', label: texts.library.table, icon: <Icon name="table" /> },
            { value: 'tiles', label: texts.library.tiles, icon: <Icon name="tiles" /> },
          ]}
          onValue={chooseView}
        />
      </div>
      <nav class="filters" aria-label={texts.library.filter}>
        <a href={href({ status: undefined })} aria-current={status === undefined ? 'true' : undefined}>
          {texts.library.filters.all} <span class="quiet thin">{groupDigits(counts.data?.total ?? 0)}</span>
        </a>
        {STATUSES.map((each) => (
          <a key={each} href={href({ status: each })} aria-current={status === each ? 'true' : undefined}>
            {texts.library.filters[each]} <span class="quiet thin">{groupDigits(counts.data?.counts[each] ?? 0)}</span>
          </a>
        ))}
      </nav>
      {items.error && <Failed error={items.error} again={items.reload} />}
      {folders.error && <Failed error={folders.error} again={folders.reload} what={texts.library.folderName} />}
      {!items.data && items.waiting && <WaitingRows />}
      {items.data &&
        (rows.length === 0 && (folders.data?.length ?? 0) === 0 ? (
          <p class="empty-line">
            {name !== ''
              ? texts.library.noMatch(name)
              : folder !== undefined
                ? texts.library.folderEmpty
                : texts.library.noneHere}{' '}
            <a href="/console/library">{texts.library.showAll}</a>
          </p>
        ) : view === 'table' ? (
          <ItemTable
            items={rows}
            folders={folders.data ?? []}
            sort={sort}
            sortHref={(next) => href({ sort: next })}
            selected={selected}
            onSelected={setSelected}
            showPath={!everything || folder === undefined}
          />
        ) : (
          <ItemTiles items={rows} folders={folders.data ?? []} />
        ))}
      {items.data && rows.length > 0 && (
        <div class="row between small quiet list-foot">
          <span>
            {total !== undefined &&
              texts.common.rows(
                groupDigits((page - 1) * PAGE + 1),
                groupDigits((page - 1) * PAGE + rows.length),
                groupDigits(total),
              )}
          </span>
          <Pages page={page} pages={pages} href={(next) => href({ page: next })} />
        </div>
      )}
      {!online.value && <p class="quiet small note">{texts.library.offlineNote}</p>}
      {selected.size > 0 && (
        <SelectionBar items={[...selected.values()]} onClear={() => setSelected(new Map())} onChanged={reload} />
      )}
      {making && <NewFolder parent={folder} onClose={() => setMaking(false)} onMade={reload} />}
    </Page>
  )
}

function Search({ name, onName }: { name: string; onName(name: string): void }) {
  const [text, setText] = useState(name)
  useEffect(() => {
    if (text === name) return
    const timer = setTimeout(() => onName(text), QUIET_MS)
    return () => clearTimeout(timer)
  }, [text, name, onName])
  return (
    <label class="search grow">
      <span class="vh">{texts.library.search}</span>
      <Icon name="search" />
      <input
        class="input sm"
        type="search"
        placeholder={texts.library.search}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}

function Empty() {
  return (
    <Page title={texts.library.title}>
      <div class="empty">
        <Tackle />
        <h2>{texts.library.emptyTitle}</h2>
        <p>{texts.library.empty}</p>
        <a class="btn primary big" href="/console/store">
          {texts.library.first}
        </a>
        <p class="small">
          <a href="/docs">{texts.library.commandLine}</a>
        </p>
      </div>
    </Page>
  )
}
