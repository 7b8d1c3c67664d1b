import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../../api/client.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { RenameDialog } from '../../parts/rename-dialog.tsx'
import { texts } from '../../texts/index.ts'
import { folderEntry, move, rename } from './entry.ts'
import { MoveDialog } from './move-dialog.tsx'
import { placeHref } from './read-place.ts'

/** The actions for the open folder. */
export function FolderActs({ folder, onChanged }: { folder: Schemas['Folder']; onChanged(): void }) {
  const { route } = useLocation()
  const [asking, setAsking] = useState<'rename' | 'move' | 'delete'>()
  const close = () => setAsking(undefined)
  const entry = folderEntry(folder)
  return (
    <div class="row tight">
      <button type="button" class="btn plain" onClick={() => setAsking('rename')}>
        {texts.rename.do}
      </button>
      <button type="button" class="btn plain" onClick={() => setAsking('move')}>
        {texts.library.move}
      </button>
      {folder.items === 0 && (
        <button type="button" class="btn plain" onClick={() => setAsking('delete')}>
          {texts.library.deleteFolder}
        </button>
      )}
      {asking === 'rename' && (
        <RenameDialog
          name={folder.name}
          onClose={close}
          onName={async (name) => {
            await rename(entry, name)
            onChanged()
          }}
        />
      )}
      {asking === 'move' && (
        <MoveDialog
          title={texts.library.moveTitle(folder.name)}
          blockchain={folder.blockchain}
          moved={[folder.id]}
          onClose={close}
          onMove={async (to) => {
            await move(entry, to)
            onChanged()
          }}
        />
      )}
      {asking === 'delete' && (
        <ActDialog
          title={texts.library.deleteFolderTitle(folder.name)}
          act={texts.library.deleteFolder}
          danger
          onClose={close}
          onAct={async () => {
            await api.DELETE('/v0/folder/{id}', { params: { path: { id: folder.id } } })
            route(placeHref(folder.parent))
          }}
        >
          <p>{texts.library.deleteFolderText}</p>
        </ActDialog>
      )}
    </div>
  )
}
