import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { api, type Schemas } from '../../api/client.ts'
import { atCursor, useList } from '../../hooks/use-list.ts'
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
  const read = (cursor?: string) =>
    api.GET('/v0/folder', { params: { query: { parent: here?.id ?? 'none', ...atCursor(cursor) } } })
  const list = useList(read, 'folders', 'id', [here?.id])
  const taking = list.rows.filter(
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
        <button type="button" class="btn link" onClick={() => setPath([])}>
          {texts.library.title}
        </button>
        {path.map((folder, index) => (
          <Fragment key={folder.id}>
            <Icon name="chevron" size="small" />
            <button type="button" class="btn link" onClick={() => setPath(path.slice(0, index + 1))}>
              {folder.name}
            </button>
          </Fragment>
        ))}
      </nav>
      <Reading of={list} rows={2} />
      {list.data && taking.length === 0 && <p class="quiet">{texts.library.moveNone(props.blockchain)}</p>}
      <ul class="pick-list">
        {taking.map((folder) => (
          <li key={folder.id}>
            <button type="button" class="btn plain" onClick={() => setPath([...path, folder])}>
              <Icon name="folder" />
              {folder.name}
            </button>
          </li>
        ))}
      </ul>
      <MoreButton more={list.more} />
    </ActDialog>
  )
}
