import type { StorageTarget } from '../../../protocol/chains.ts'
import { api } from '../../api/client.ts'
import { dayText } from '../../core/time-text.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { Notice } from '../../parts/notice.tsx'
import { texts } from '../../texts/index.ts'
import type { Chosen } from '../../upload/chosen.ts'
import { findKnown } from '../../upload/find-known.ts'

/** Files that are named; the others are counted. */
const MAX_NAMED = 3

/** The chosen files that the account has on this target already, with links to them. */
export function KnownFiles(props: { files: readonly Chosen[]; target: StorageTarget; website: boolean | undefined }) {
  const { files, target, website } = props
  // Where the lookup fails, every file is stored.
  const { data } = useLoad(async () => {
    const known = [...(await findKnown(files, target, website))]
    const named = await Promise.all(
      known.slice(0, MAX_NAMED).map(async ([path, { id }]) => {
        return { path, item: await api.GET('/v0/item/{id}', { params: { path: { id } } }) }
      }),
    )
    return { named, more: known.length - named.length }
  }, [files, target, website])
  if (!data || data.named.length === 0) return null
  return (
    <Notice live>
      {data.named.map(({ path, item }) => (
        <p key={path}>
          {(item.status === '402 Payment Required' ? texts.store.knownUnpaid : texts.store.known)(
            path,
            dayText(item.createdAt),
          )}
          <a href={`/console/item/${item.id}`}>{texts.store.knownLink}</a>.
        </p>
      ))}
      {data.more > 0 && <p>{texts.store.knownMore(data.more)}</p>}
    </Notice>
  )
}
