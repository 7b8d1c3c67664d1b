import type { Schemas } from '../../api/client.ts'
import { momentText } from '../../core/time-text.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { texts } from '../../texts/index.ts'
import { placeHref } from '../library/read-place.ts'

/** What is known of an item beside its content: its names, its place and what is stored of it. */
export function ItemFacts(props: { item: Schemas['Item']; onRename(): void; onMove(): void; onType(): void }) {
  const { item } = props
  return (
    <dl class="facts middle">
      <dt>{texts.item.name}</dt>
      <dd>
        <span>{item.name}</span>{' '}
        <button type="button" class="btn plain" onClick={props.onRename}>
          {texts.rename.do}
        </button>
      </dd>
      <dt>{texts.item.place}</dt>
      <dd>
        <a href={placeHref(item.folder)}>{item.path ?? texts.library.title}</a>{' '}
        <button type="button" class="btn plain" onClick={props.onMove}>
          {texts.library.move}
        </button>
      </dd>
      {item.files === null && (
        <>
          <dt>{texts.item.type}</dt>
          <dd>
            <span class="mono">{item.mimetype}</span>{' '}
            <button type="button" class="btn plain" onClick={props.onType} aria-label={texts.item.changeType}>
              {texts.item.change}
            </button>
          </dd>
        </>
      )}
      <dt>{texts.item.added}</dt>
      <dd>{momentText(item.createdAt)}</dd>
      {item.storedSize !== null && (
        <>
          <dt>{texts.item.storedAs}</dt>
          <dd>{texts.item.storedBytes(item.storedSize, item.blockchain !== 'IPFS' && item.storedSize < item.size)}</dd>
        </>
      )}
      {item.cid && (
        <>
          <dt>{texts.item.cid}</dt>
          <dd>
            <code>{item.cid}</code>
          </dd>
        </>
      )}
      {item.index !== undefined && <IndexFact item={item} index={item.index} />}
      <dt>{texts.item.id}</dt>
      <dd>
        <span class="row nowrap-row">
          <code>{item.id}</code> <CopyButton class="btn icon plain no-text" text={item.id} what={texts.item.id} />
        </span>
      </dd>
    </dl>
  )
}

function IndexFact({ item, index }: { item: Schemas['Item']; index: string | null }) {
  return (
    <>
      <dt>{texts.item.index}</dt>
      <dd>
        {index === null ? (
          texts.item.indexWaits
        ) : (
          <>
            <a href={item.links.web ?? item.links.site} target="_blank" rel="noreferrer">
              <code>{index}</code>
            </a>
            <span class="quiet small">{texts.item.indexAbout}</span>
          </>
        )}
      </dd>
    </>
  )
}
