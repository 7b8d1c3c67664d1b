import { useEffect, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { STATUS_OF_STATE } from '../../client/item-state.ts'
import { api, type Schemas } from '../api/client.ts'
import { groupDigits, sizeText } from '../core/size-text.ts'
import { clockText } from '../core/time-text.ts'
import { atCursor, useList } from '../hooks/use-list.ts'
import { useLoad } from '../hooks/use-load.ts'
import { online } from '../hooks/use-online.ts'
import { Failed } from '../parts/failed.tsx'
import { Segments } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Tackle } from '../parts/motif.tsx'
import { Page, WaitingRows } from '../parts/page.tsx'
import { Pages } from '../parts/pages.tsx'
import { counted, readCounts } from '../shell/counts.ts'
import { texts } from '../texts/index.ts'
import { readSetting, writeSetting } from '../upload/order-store.ts'
import type { Selected } from './library/entry.ts'
import { FolderActs } from './library/folder-acts.tsx'
import { ItemTable, SORTS, type Sort } from './library/item-table.tsx'
import { ItemTiles } from './library/item-tiles.tsx'
import { NewFolder } from './library/new-folder.tsx'
import { placeHref, readPlace } from './library/read-place.ts'
import { SelectionBar } from './library/selection-bar.tsx'
import { readTypeFilter, type TypeFilter, TypeFilters } from './library/type-filters.tsx'

const ROWS_PER_PAGE = 50
const STATES = ['stored', 'writing', 'unpaid', 'uploading', 'stopped'] as const
type State = (typeof STATES)[number]
/** Delay between the last keystroke and the search request (debounce). */
const SEARCH_DELAY_MS = 250

/** Folders and items of one folder or of the account, with search, filters and pages. */
export default function Library() {
  const { params } = useRoute()
  return <Listing key={params.folder} folder={params.folder} />
}

function Listing({ folder }: { folder: string | undefined }) {
  const { query } = useRoute()
  const { route, path } = useLocation()
  const state = STATES.find((each) => STATUS_OF_STATE[each] === query.status)
  const sort = SORTS.find((each) => each === query.sort) ?? '-created'
  const name = query.name ?? ''
  const page = Math.max(1, Number.parseInt(query.page ?? '1', 10) || 1)
  const [view, setView] = useState<'table' | 'tiles'>('table')
  const [selected, setSelected] = useState<Selected>(new Map())
  const [creatingFolder, setCreatingFolder] = useState(false)

  useEffect(() => {
    void readSetting('library-view').then((stored) => stored === 'tiles' && setView('tiles'))
  }, [])
  const hidden = query.hidden !== undefined
  const type = readTypeFilter(query)
  const { target, kind } = type
  const filtered = [state, target, kind].some((each) => each !== undefined) || name !== '' || hidden
  const acrossFolders = folder === undefined && filtered
  const counts = counted.value
  const place = useLoad(async () => (folder === undefined ? undefined : await readPlace(folder)), [folder], ['item.'])
  const readFolders = (cursor?: string) => findFolders({ folder, name, filtered, first: page === 1 }, cursor)
  const folders = useList(readFolders, 'folders', 'id', [folder, name, filtered, page === 1])
  const items = useLoad(
    () => {
      const itemQuery = {
        sort,
        page,
        ...(name !== '' && { name }),
        ...(hidden && { hidden: 'true' as const }),
        ...(target !== undefined && { blockchain: target }),
        ...(kind !== undefined && { kind }),
        ...(state !== undefined && { status: STATUS_OF_STATE[state] }),
        ...(folder !== undefined ? { folder } : !filtered && { folder: 'none' }),
      }
      return api.GET('/v0/item', { params: { query: itemQuery } })
    },
    [folder, state, hidden, target, kind, sort, name, page],
    ['item', 'request'],
  )
  type Fields = { state?: State | undefined; hidden?: boolean; sort?: Sort; name?: string; page?: number }
  const href = (fields: Fields & Partial<TypeFilter>) => {
    const next = { state, hidden, ...type, sort, name, ...fields }
    const search = new URLSearchParams()
    if (next.state) search.set('status', STATUS_OF_STATE[next.state])
    if (next.hidden) search.set('hidden', 'true')
    if (next.target) search.set('target', next.target)
    if (next.kind) search.set('kind', next.kind)
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
    folders.restart()
    for (const each of [items, place]) each.reload()
    readCounts()
  }
  const rows = items.data?.items ?? []
  const loaded = items.data !== undefined && folders.data !== undefined
  const noRows = loaded && rows.length === 0 && folders.rows.length === 0
  const empty = noRows && folder === undefined && !filtered && counts.data?.total === 0 && counts.data.hidden === 0
  if (place.error?.status === 404) return <UnknownFolder />
  const { folder: here, above = [] } = place.data ?? {}
  const crumb = [undefined, ...above].map((each) => ({
    href: placeHref(each?.id),
    label: each?.name ?? texts.library.title,
  }))
  return (
    <Page
      title={folder === undefined ? texts.library.title : (here?.name ?? texts.library.folder)}
      lead={
        here
          ? texts.library.folderTotal(here.items, texts.where[here.blockchain])
          : folder === undefined && !empty && <Counts />
      }
      {...(folder !== undefined && { crumb })}
      acts={
        <>
          <button type="button" class="btn" onClick={() => setCreatingFolder(true)} disabled={!online.value}>
            <Icon name="plus" />
            {texts.library.newFolder}
          </button>
          {!empty && (
            <a class="btn primary" href="/console/store">
              {texts.nav.store}
            </a>
          )}
        </>
      }
    >
      {here && <FolderActs folder={here} onChanged={reload} />}
      {place.error && <Failed error={place.error} again={place.reload} />}
      {empty ? (
        <Empty />
      ) : (
        <>
          <div class="row between tools">
            <Search
              name={name}
              label={folder === undefined ? texts.library.search : texts.library.searchFolder}
              onName={(next) => route(href({ name: next }), true)}
            />
            <TypeFilters filter={type} onFilter={(filter) => route(href(filter))} />
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
            {([undefined, ...STATES] as const).map((each) => (
              <a
                key={each}
                href={href({ state: each, hidden: false })}
                aria-current={state === each && !hidden ? 'true' : undefined}
              >
                {each === undefined ? texts.library.all : texts.library.states[each]}{' '}
                {folder === undefined && counts.data && (
                  <span class="quiet thin">
                    {groupDigits(
                      each === undefined ? counts.data.total : (counts.data.counts[STATUS_OF_STATE[each]] ?? 0),
                    )}
                  </span>
                )}
              </a>
            ))}
            {(hidden || (folder === undefined && (counts.data?.hidden ?? 0) > 0)) && (
              <a href={href({ state: undefined, hidden: true })} aria-current={hidden ? 'true' : undefined}>
                {texts.lists.hidden} <span class="quiet thin">{groupDigits(counts.data?.hidden ?? 0)}</span>
              </a>
            )}
          </nav>
        </>
      )}
      {items.error && <Failed error={items.error} again={items.reload} />}
      {folders.error && <Failed error={folders.error} again={folders.reload} what={texts.library.folders} />}
      {!items.data && items.waiting && <WaitingRows />}
      {noRows && !empty && (
        <p class="empty-line">
          {name !== ''
            ? texts.library.noMatch(name)
            : folder !== undefined && !filtered
              ? texts.library.folderEmpty
              : texts.library.noneHere}{' '}
          <a href={filtered ? path : '/console/library'}>{texts.library.showAll}</a>
        </p>
      )}
      {loaded &&
        !noRows &&
        (view === 'table' ? (
          <ItemTable
            items={rows}
            folders={folders.rows}
            sort={sort}
            sortHref={(next) => href({ sort: next })}
            selected={selected}
            onSelected={setSelected}
            showPath={acrossFolders}
          />
        ) : (
          <ItemTiles items={rows} folders={folders.rows} />
        ))}
      <MoreButton more={folders.more} text={texts.library.moreFolders} />
      {items.data && rows.length > 0 && (
        <ListFoot page={items.data} at={page} topLevel={folder === undefined && !filtered} href={href} />
      )}
      {!online.value && <p class="quiet small note">{texts.library.offlineNote}</p>}
      {selected.size > 0 && (
        <SelectionBar entries={[...selected.values()]} onClear={() => setSelected(new Map())} onChanged={reload} />
      )}
      {creatingFolder && <NewFolder parent={here} onClose={() => setCreatingFolder(false)} onMade={reload} />}
    </Page>
  )
}

/** One page of the folder rows, which are displayed before the items: subfolders of one folder, or search results. */
async function findFolders(
  shown: { folder: string | undefined; name: string; filtered: boolean; first: boolean },
  cursor?: string,
): Promise<{ folders: readonly Schemas['Folder'][]; cursor?: string | undefined }> {
  const { folder, name, filtered, first } = shown
  if (!first || (filtered && (folder !== undefined || name === ''))) return { folders: [] }
  const query = filtered ? { name } : { parent: folder ?? 'none', ...atCursor(cursor) }
  const found = await api.GET('/v0/folder', { params: { query } })
  // A folder that was merged into one item is listed as that item only.
  return { ...found, folders: found.folders.filter(({ item }) => item === null) }
}

/** The number of items. If it cannot be updated, the time of the last update is added. */
function Counts() {
  const { data, old, readAt } = counted.value
  if (!data) return null
  const total = texts.library.total(data.total, sizeText(data.bytes))
  return <>{old || !online.value ? texts.library.asOf(total, clockText(readAt)) : total}</>
}

function ListFoot(props: {
  page: Schemas['ItemPage']
  at: number
  /** Whether the rows are the top-level items: those in no folder. */
  topLevel: boolean
  href(fields: { page: number }): string
}) {
  const { page, at, topLevel } = props
  const total = page.total ?? undefined
  const before = (at - 1) * ROWS_PER_PAGE
  const rows =
    total !== undefined &&
    texts.common.rows(groupDigits(before + 1), groupDigits(before + page.items.length), groupDigits(total))
  return (
    <div class="row between small quiet list-foot">
      <span>{rows && topLevel && total !== counted.value.data?.total ? texts.library.outside(rows) : rows}</span>
      <Pages page={at} pages={page.pages ?? 1} href={(next) => props.href({ page: next })} />
    </div>
  )
}

function UnknownFolder() {
  return (
    <Page title={texts.library.unknownFolder} crumb={{ href: placeHref(), label: texts.library.title }}>
      <a class="btn" href={placeHref()}>
        {texts.failures.toLibrary}
      </a>
    </Page>
  )
}

function Search({ name, label, onName }: { name: string; label: string; onName(name: string): void }) {
  const [text, setText] = useState(name)
  useEffect(() => {
    if (text === name) return
    const timer = setTimeout(() => onName(text), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text, name, onName])
  return (
    <label class="search grow">
      <span class="vh">{label}</span>
      <Icon name="search" />
      <input
        class="input sm"
        type="search"
        placeholder={label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}

function Empty() {
  return (
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
  )
}
