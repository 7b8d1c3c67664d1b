import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useTask } from '../hooks/use-task.ts'
import { texts } from '../texts/index.ts'
import { Failed } from './failed.tsx'
import { focusFault } from './field.tsx'

/** A dialog: traps the focus, closes on Escape, returns the focus. */
export function Dialog(props: { title: string; onClose(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={props.onClose}>
      <h2 id={id}>{props.title}</h2>
      {props.children}
    </dialog>
  )
}

/** A dialog for one action; its button names the action. It remains open after an error. */
export function ActDialog(props: {
  title: string
  act: string
  danger?: boolean
  disabled?: boolean
  onClose(): void
  onAct(): Promise<void>
  children?: ComponentChildren
}) {
  const { busy, error, run } = useTask()
  const act = async (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget
    if (await run(props.onAct)) props.onClose()
    else focusFault(form)
  }
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form class="stack" onSubmit={act}>
        {props.children}
        {error && <Failed error={error} />}
        <p class="row">
          <button type="submit" class={props.danger ? 'btn danger' : 'btn primary'} disabled={busy || props.disabled}>
            {busy ? texts.common.going(props.act) : props.act}
          </button>
          <button type="button" class="btn plain" onClick={props.onClose}>
            {texts.common.cancel}
          </button>
        </p>
      </form>
    </Dialog>
  )
}
