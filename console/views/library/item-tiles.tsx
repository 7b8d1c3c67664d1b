import { useRef, useState } from 'preact/hooks'
import { itemState } from '../../../client/item-state.ts'
import type { Schemas } from '../../api/client.ts'
import { kindOf } from '../../core/media-type-of.ts'
import { sizeText } from '../../core/size-text.ts'
import { Icon } from '../../parts/icon.tsx'
import { ItemState } from '../../parts/item-state.tsx'
import { LongLine, SealMark } from '../../parts/motif.tsx'
import { texts } from '../../texts/index.ts'
import { canVerify, verifyContent } from '../../verify/verify-content.ts'
import { contentOf } from '../item/verified-content.tsx'
import { FolderTile, MAX_PREVIEW } from './folder-tile.tsx'
import { useSeen } from './use-seen.ts'

/** Items as tiles. A preview is shown only after its verification; those in view are verified first. */
export function ItemTiles({
  items,
  folders,
}: {
  items: readonly Schemas['Item'][]
  folders: readonly Schemas['Folder'][]
}) {
  return (
    <div class="tiles">
      {folders.map((folder) => (
        <FolderTile key={folder.id} folder={folder} />
      ))}
      {items.map((item) => (
        <Tile key={item.id} item={item} />
      ))}
    </div>
  )
}

function Tile({ item }: { item: Schemas['Item'] }) {
  const box = useRef<HTMLDivElement>(null)
  const tile = useRef<HTMLAnchorElement>(null)
  const [state, setState] = useState<'none' | 'verifying' | 'verified' | 'refused'>('none')
  const kind = kindOf(item.mimetype)
  const content = contentOf(item)
  const shows =
    itemState(item) === 'stored' &&
    item.size <= MAX_PREVIEW &&
    (kind === 'picture' || kind === 'text') &&
    canVerify(content)
  useSeen(tile, shows, () => {
    const root = box.current
    if (!root) return
    setState('verifying')
    void verifyContent(content, root).then((verdict) =>
      setState(verdict.kind === 'verified' ? 'verified' : verdict.kind === 'refused' ? 'refused' : 'none'),
    )
  })
  return (
    <a class="tile" href={`/console/item/${item.id}`} ref={tile}>
      <div class="print">
        <div ref={box} class={state === 'verified' ? `preview ${kind}` : 'hidden'} aria-hidden="true" />
        {state === 'refused' ? (
          <div class="small refused">
            <LongLine small name={item.cid ?? item.txids?.[0]} state="refused" />
            {texts.done.refused}
          </div>
        ) : (
          state !== 'verified' && <Icon name={item.files ? 'page' : kind} />
        )}
      </div>
      <p class="t">{item.name}</p>
      <p class="small quiet">
        {state === 'verified' ? (
          <span class="seal thin-seal">
            <SealMark size={16} />
            {texts.done.verifiedShort}
          </span>
        ) : state === 'refused' ? (
          <span class="state bad">
            <Icon name="stop" />
            {texts.done.notVerified}
          </span>
        ) : state === 'verifying' ? (
          <span class="state quiet">
            <Icon name="clock" />
            {texts.done.verifying}
          </span>
        ) : (
          <ItemState item={item} />
        )}
        <span>{sizeText(item.size)}</span>
      </p>
    </a>
  )
}
