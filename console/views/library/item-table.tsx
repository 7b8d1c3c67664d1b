import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { itemState } from '../../../client/item-state.ts'
import type { Schemas } from '../../api/client.ts'
import { sizeText } from '../../core/size-text.ts'
import { dayText } from '../../core/time-text.ts'
import { Icon } from '../../parts/icon.tsx'
import { ItemState } from '../../parts/item-state.tsx'
import { LongLine } from '../../parts/motif.tsx'
import { Tick } from '../../parts/table.tsx'
import { texts } from '../../texts/index.ts'
import { type Entry, folderEntry, itemEntry, type Selected } from './entry.ts'
import { ItemPicture } from './item-picture.tsx'
import { placeHref } from './read-place.ts'

/** The order of a list of items; a minus reverses it. */
export const SORTS = ['name', '-name', 'size', '-size', 'status', '-status', 'created', '-created'] as const
export type Sort = (typeof SORTS)[number]

/** Rows that are rendered first. The others are rendered in a second task, so that neither task is long. */
const FIRST_ROWS = 20

/** Folders and items as rows of a table; arrow keys move, Space selects, Enter opens. */
export function ItemTable(props: {
  items: readonly Schemas['Item'][]
  folders: readonly Schemas['Folder'][]
  sort: Sort
  sortHref(sort: Sort): string
  selected: Selected
  onSelected(selected: Selected): void
  /** Whether each row names its folder, because there are several. */
  showPath: boolean
}) {
  const { items, folders, selected } = props
  const entries = [...folders.map(folderEntry), ...items.map(itemEntry)]
  const { route } = useLocation()
  const body = useRef<HTMLTableSectionElement>(null)
  const [whole, setWhole] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setWhole(true))
    return () => clearTimeout(timer)
  }, [])
  const toggle = (entry: Entry, on = !selected.has(entry.own.id)) => {
    const next = new Map(selected)
    if (on) next.set(entry.own.id, entry)
    else next.delete(entry.own.id)
    props.onSelected(next)
  }
  // The focus moves from a checkbox to the next checkbox, and from a name to the next name.
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') props.onSelected(new Map())
    const { target } = event
    if (!(target instanceof HTMLElement)) return
    const rows = [...(body.current?.rows ?? [])]
    const index = rows.findIndex((row) => row.contains(target))
    const here = entries[index]
    if (!here) return
    const onBox = target instanceof HTMLInputElement
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      rows[index + step]?.querySelector<HTMLElement>(onBox ? 'input' : 'a')?.focus()
      const next = entries[index + step]
      if (event.shiftKey && next) toggle(next, true)
    }
    if (event.key === ' ' && !onBox) {
      event.preventDefault()
      toggle(here)
    }
    if (event.key === 'Enter' && onBox) route(hrefOf(here))
  }
  const all = entries.length > 0 && entries.every(({ own }) => selected.has(own.id))
  const heads: [keyof typeof texts.library.head, 'name' | 'status' | 'size' | 'created' | undefined, boolean][] = [
    ['name', 'name', false],
    ['mark', undefined, false],
    ['state', 'status', false],
    ['where', undefined, false],
    ['size', 'size', true],
    ['added', 'created', true],
  ]
  return (
    <table class="table pick" onKeyDown={press}>
      <thead>
        <tr>
          <th class="tick-cell">
            <Tick
              label={texts.library.selectAll}
              checked={all}
              onChange={() =>
                props.onSelected(all ? new Map() : new Map(entries.map((entry) => [entry.own.id, entry])))
              }
            />
          </th>
          {heads.map(([head, key, num]) => (
            <th key={head} class={num ? 'num' : undefined} {...sortState(props.sort, key)}>
              {key ? (
                <a
                  href={props.sortHref(props.sort === key ? `-${key}` : key)}
                  aria-label={texts.library.sortBy(texts.library.head[head])}
                >
                  {texts.library.head[head]}
                  {props.sort === key && ' ↑'}
                  {props.sort === `-${key}` && ' ↓'}
                </a>
              ) : (
                texts.library.head[head]
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {folders.map((folder) => (
          <tr key={folder.id} class={selected.has(folder.id) ? 'selected' : undefined}>
            <td>
              <Tick
                label={texts.library.select(folder.name)}
                checked={selected.has(folder.id)}
                onChange={() => toggle(folderEntry(folder))}
              />
            </td>
            <th scope="row" class="grow">
              <a class="name" href={placeHref(folder.id)}>
                <Icon name="folder" />
                <span>
                  {folder.name} <span class="quiet thin">{texts.library.files(folder.items)}</span>
                </span>
              </a>
            </th>
            <td class="off" />
            <td />
            <td class="nowrap">{folder.blockchain}</td>
            <td class="num push" />
            <td class="num quiet off">{dayText(folder.createdAt)}</td>
          </tr>
        ))}
        {(whole ? items : items.slice(0, FIRST_ROWS)).map((item) => (
          <tr key={item.id} class={selected.has(item.id) ? 'selected' : undefined}>
            <td>
              <Tick
                label={texts.library.select(item.name)}
                checked={selected.has(item.id)}
                onChange={() => toggle(itemEntry(item))}
              />
            </td>
            <th scope="row" class="grow">
              <a class="name" href={`/console/item/${item.id}`}>
                <ItemPicture item={item} />
                <span>
                  {item.name} {item.files ? <span class="quiet thin">{texts.library.files(item.files)}</span> : null}
                  {props.showPath && item.path ? (
                    <span class="quiet thin">{texts.library.inFolder(item.path)}</span>
                  ) : null}
                  {item.sites?.slice(0, 1).map((site) => (
                    <span key={site.id} class="quiet thin">
                      {' '}
                      {texts.lists.inSite(site.version, site.name)}
                    </span>
                  ))}
                </span>
              </a>
              {itemState(item) === 'stopped' && item.message && <p class="small quiet why">{item.message}</p>}
            </th>
            <td class="off">
              {itemState(item) === 'stored' && <LongLine small name={item.cid ?? item.txids?.[0]} state="written" />}
            </td>
            <td>
              <ItemState item={item} />
            </td>
            <td class="nowrap">{item.blockchain}</td>
            <td class="num push">{sizeText(item.size)}</td>
            <td class="num quiet off">{dayText(item.createdAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function hrefOf({ kind, own: { id } }: Entry): string {
  return kind === 'item' ? `/console/item/${id}` : placeHref(id)
}

function sortState(sort: Sort, key: string | undefined): { 'aria-sort'?: 'ascending' | 'descending' | 'none' } {
  if (key === undefined) return {}
  return { 'aria-sort': sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none' }
}
