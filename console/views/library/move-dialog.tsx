import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { api, type Schemas } from '../../api/client.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { atCursor, usePages } from '../../hooks/use-pages.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Reading } from '../../parts/reading.tsx'
import { texts } from '../../texts/index.ts'

type Folder = Schemas['Folder']

/** The dialog that chooses a folder to move into: the user browses the folders and confirms one. */
export function MoveDialog(props: {
  title: string
  /** Only folders of this target are offered. */
  blockchain: Folder['blockchain']
  /** Folders that are moved; a folder cannot be moved into itself. */
  moved: readonly string[]
  onClose(): void
  onMove(to: string | null): Promise<void>
}) {
  const [path, setPath] = useState<readonly Folder[]>([])
  const here = path.at(-1)
  const read = async (cursor?: string) => {
    const query = { parent: here?.id ?? 'none', ...atCursor(cursor) }
    const page = await api.GET('/v0/folder', { params: { query } })
    return { rows: page.folders, cursor: page.cursor }
  }
  const first = useLoad(() => read(), [here?.id])
  const { rows, more, restart } = usePages<Folder>(first.data, read, ({ id }) => id)
  const open = (next: readonly Folder[]) => {
    restart()
    setPath(next)
  }
  const taking = rows.filter(
    ({ id, item, blockchain }) => item === null && blockchain === props.blockchain && !props.moved.includes(id),
  )
  return (
    <ActDialog
      title={props.title}
      act={here ? texts.library.moveInto(here.name) : texts.library.moveOut}
      onClose={props.onClose}
      onAct={() => props.onMove(here?.id ?? null)}
    >
      <nav class="crumb" aria-label={texts.library.moveWhere}>
        <button type="button" class="btn link" onClick={() => open([])}>
          {texts.library.title}
        </button>
        {path.map((folder, index) => (
          <Fragment key={folder.id}>
            <Icon name="chevron" size="small" />
            <button type="button" class="btn link" onClick={() => open(path.slice(0, index + 1))}>
              {folder.name}
            </button>
          </Fragment>
        ))}
      </nav>
      <Reading of={first} rows={2} />
      {first.data && taking.length === 0 && <p class="quiet">{texts.library.moveNone(props.blockchain)}</p>}
      <ul class="pick-list">
        {taking.map((folder) => (
          <li key={folder.id}>
            <button type="button" class="btn plain" onClick={() => open([...path, folder])}>
              <Icon name="folder" />
              {folder.name}
            </button>
          </li>
        ))}
      </ul>
      <MoreButton more={more} />
    </ActDialog>
  )
}
