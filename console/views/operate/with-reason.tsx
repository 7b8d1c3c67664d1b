import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ActDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { withRecentLogin } from '../../session/login-again.tsx'
import { operateTexts } from '../../texts/operate.ts'

/** The dialog for an action of the operator. It requires a reason, which the audit log records. */
export function WithReason(props: {
  title: string
  act: string
  danger?: boolean
  /** Whether something beside the reason is missing. */
  disabled?: boolean
  onClose(): void
  onAct(reason: string): Promise<unknown>
  children?: ComponentChildren
}) {
  const [reason, setReason] = useState('')
  return (
    <ActDialog
      title={props.title}
      act={props.act}
      {...(props.danger && { danger: true })}
      disabled={props.disabled || reason.trim() === ''}
      onClose={props.onClose}
      onAct={async () => {
        await withRecentLogin(() => props.onAct(reason.trim()))
      }}
    >
      {props.children}
      <Field label={operateTexts.reason} help={operateTexts.reasonHelp} value={reason} onValue={setReason} />
    </ActDialog>
  )
}
