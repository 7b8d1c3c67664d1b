import { useEffect, useRef, useState } from 'preact/hooks'
import { api, type Schemas } from '../../api/client.ts'
import { kindOf } from '../../core/media-type-of.ts'
import { Icon } from '../../parts/icon.tsx'
import { texts } from '../../texts/index.ts'
import { canVerify, verifyContent } from '../../verify/verify-content.ts'
import { contentOf } from '../item/verified-content.tsx'
import { placeHref } from './read-place.ts'
import { useSeen } from './use-seen.ts'

/** Larger pictures are not loaded. */
export const MAX_PREVIEW = 4 * 2 ** 20
const PICTURES = 4

/** A folder as a tile, with the first of its pictures, each shown once it is verified. */
export function FolderTile({ folder }: { folder: Schemas['Folder'] }) {
  const tile = useRef<HTMLAnchorElement>(null)
  const [pictures, setPictures] = useState<readonly Schemas['Item'][]>([])
  useSeen(tile, folder.items > 0, () => {
    void readPictures(folder.id).then(setPictures, () => undefined)
  })
  return (
    <a class="tile" href={placeHref(folder.id)} ref={tile}>
      <div class={pictures.length > 0 ? 'print of-four' : 'print'}>
        {pictures.length === 0 && <Icon name="folder" />}
        {pictures.map((item) => (
          <Picture key={item.id} item={item} />
        ))}
      </div>
      <p class="t">{folder.name}</p>
      <p class="small quiet">
        <span>{folder.blockchain}</span>
        <span>{texts.library.files(folder.items)}</span>
      </p>
    </a>
  )
}

function Picture({ item }: { item: Schemas['Item'] }) {
  const box = useRef<HTMLDivElement>(null)
  const [verified, setVerified] = useState(false)
  useEffect(() => {
    const root = box.current
    if (root) void verifyContent(contentOf(item), root).then(({ kind }) => setVerified(kind === 'verified'))
  }, [item.id])
  return (
    <div>
      <div ref={box} class={verified ? 'preview picture' : 'hidden'} aria-hidden="true" />
      {!verified && <Icon name="picture" />}
    </div>
  )
}

async function readPictures(folder: string): Promise<Schemas['Item'][]> {
  const { items } = await api.GET('/v0/item', { params: { query: { folder, status: '200', sort: '-created' } } })
  return items
    .filter((item) => kindOf(item.mimetype) === 'picture' && item.size <= MAX_PREVIEW && canVerify(contentOf(item)))
    .slice(0, PICTURES)
}
