import { useState } from 'preact/hooks'
import { texts } from '../texts/index.ts'
import { ActDialog } from './dialog.tsx'
import { Field } from './field.tsx'

/** The dialog for another name. What was typed remains when the service refuses it. */
export function RenameDialog(props: { name: string; onClose(): void; onName(name: string): Promise<void> }) {
  const [name, setName] = useState(props.name)
  return (
    <ActDialog
      title={texts.rename.title(props.name)}
      act={texts.rename.do}
      disabled={name.trim() === '' || name.trim() === props.name}
      onClose={props.onClose}
      onAct={() => props.onName(name.trim())}
    >
      <Field label={texts.rename.name} value={name} onValue={setName} />
    </ActDialog>
  )
}
