import { useRef, useState } from 'preact/hooks'
import { itemState } from '../../../client/item-state.ts'
import type { Schemas } from '../../api/client.ts'
import { kindOf } from '../../core/media-type-of.ts'
import { Icon } from '../../parts/icon.tsx'
import { canVerify, verifyContent } from '../../verify/verify-content.ts'
import { contentOf } from '../item/verified-content.tsx'
import { useSeen } from './use-seen.ts'

/** Larger pictures (bytes) are not loaded for a thumbnail: a page has 50 rows. */
const MAX_BYTES = 2 ** 20

/** The thumbnail of a stored picture in a row, once it is in view and verified; an icon before that and for all else. */
export function ItemPicture({ item }: { item: Schemas['Item'] }) {
  const place = useRef<HTMLSpanElement>(null)
  const box = useRef<HTMLSpanElement>(null)
  const [shown, setShown] = useState(false)
  const kind = kindOf(item.mimetype)
  const content = contentOf(item)
  const shows = itemState(item) === 'stored' && kind === 'picture' && item.size <= MAX_BYTES && canVerify(content)
  useSeen(place, shows, () => {
    const root = box.current
    if (root) void verifyContent(content, root).then((verdict) => setShown(verdict.kind === 'verified'))
  })
  return (
    <span class="row-picture" ref={place} aria-hidden="true">
      <span ref={box} class={shown ? 'thumbnail' : 'hidden'} />
      {!shown && <Icon name={item.files ? 'page' : kind} />}
    </span>
  )
}
