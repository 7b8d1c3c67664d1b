import { useState } from 'preact/hooks'
import { STORAGE_TARGETS, type StorageTarget } from '../../../protocol/chains.ts'
import { api, type Schemas } from '../../api/client.ts'
import { ActDialog } from '../../parts/dialog.tsx'
import { Field, Segments } from '../../parts/field.tsx'
import { texts } from '../../texts/index.ts'

/** The dialog that creates a folder. All files of a folder are stored on one target. */
export function NewFolder(props: { parent: Schemas['Folder'] | undefined; onClose(): void; onMade(): void }) {
  const [name, setName] = useState('')
  const [blockchain, setBlockchain] = useState<StorageTarget>(props.parent?.blockchain ?? 'Nativecoin')
  return (
    <ActDialog
      title={texts.library.newFolder}
      act={texts.library.makeFolder}
      disabled={name.trim() === ''}
      onClose={props.onClose}
      onAct={async () => {
        const body = { name: name.trim(), blockchain, ...(props.parent && { parent: props.parent.id }) }
        await api.POST('/v0/folder', { body })
        props.onMade()
      }}
    >
      <Field label={texts.library.folderName} value={name} onValue={setName} />
      {!props.parent && (
        <Segments<StorageTarget>
          label={texts.library.folderWhere}
          value={blockchain}
          options={STORAGE_TARGETS.map((value) => ({ value, label: value }))}
          onValue={setBlockchain}
        />
      )}
    </ActDialog>
  )
}
