import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { texts } from '../texts/index.ts'
import { Icon } from './icon.tsx'

interface Props {
  label: string
  value: string
  onValue(value: string): void
  /** Replaces the help. */
  error?: ComponentChildren
  /** The error of the value, if it has one; shown once the user left the field with a value, or `tried` to send it. */
  fault?: string | undefined
  tried?: boolean
  help?: ComponentChildren
  type?: 'text' | 'email' | 'password' | 'search'
  autocomplete?: string
  inputmode?: 'text' | 'decimal' | 'numeric' | 'email'
  mono?: boolean
  /** Content after the field: a unit, a button. */
  after?: ComponentChildren
}

/** A labelled field; its error is a sentence below it. */
export function Field(props: Props) {
  const { label, value, help, mono, after, type = 'text', inputmode = 'text', autocomplete = 'off' } = props
  const id = useId()
  const [left, setLeft] = useState(false)
  const [shown, setShown] = useState(false)
  const error = props.error ?? (left || props.tried ? props.fault : undefined)
  const note = error ? `${id}-error` : help ? `${id}-help` : undefined
  const attributes = {
    id,
    class: mono ? 'input mono' : 'input',
    value,
    autocomplete,
    inputmode,
    spellcheck: false,
    onInput: (event: { currentTarget: HTMLInputElement }) => props.onValue(event.currentTarget.value),
    onBlur: () => value !== '' && setLeft(true),
    'aria-invalid': Boolean(error),
    ...(note !== undefined && { 'aria-describedby': note }),
  }
  const input =
    type === 'password' && !shown ? (
      <input type="password" {...attributes} />
    ) : type === 'email' ? (
      <input type="email" {...attributes} />
    ) : type === 'search' ? (
      <input type="search" {...attributes} />
    ) : (
      <input type="text" {...attributes} />
    )
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {after || type === 'password' ? (
        <span class="field-row">
          {input}
          {after}
          {type === 'password' && (
            <button type="button" class="btn plain" aria-pressed={shown} onClick={() => setShown(!shown)}>
              {shown ? texts.signIn.hidePassword : texts.signIn.showPassword}
              <span class="vh"> {label}</span>
            </button>
          )}
        </span>
      ) : (
        input
      )}
      {error ? <FieldError id={`${id}-error`}>{error}</FieldError> : help && <small id={`${id}-help`}>{help}</small>}
    </div>
  )
}

/** The field for the password that an account has now. */
export function PresentPassword(props: Pick<Props, 'value' | 'onValue' | 'error'> & { label?: string }) {
  return <Field label={texts.signIn.password} type="password" autocomplete="current-password" {...props} />
}

export function FieldError({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    <p class="error" id={id}>
      <Icon name="warning" />
      <span>{children}</span>
    </p>
  )
}

/** A checkbox with its label. */
export function Check(props: {
  checked: boolean
  onChange(checked: boolean): void
  children: ComponentChildren
  error?: string | undefined
}) {
  const id = useId()
  return (
    <div class="check">
      <label class="row nowrap-row">
        <span class="tick">
          <input
            type="checkbox"
            checked={props.checked}
            aria-invalid={props.error ? 'true' : undefined}
            aria-describedby={props.error ? id : undefined}
            onChange={(event) => props.onChange(event.currentTarget.checked)}
          />
        </span>
        <span>{props.children}</span>
      </label>
      {props.error && <FieldError id={id}>{props.error}</FieldError>}
    </div>
  )
}

/** Checkboxes for some of `values`. */
export function Choices<Value extends string>(props: {
  label: string
  values: readonly Value[]
  chosen: ReadonlySet<Value>
  onChosen(chosen: ReadonlySet<Value>): void
  textOf(value: Value): string
}) {
  return (
    <fieldset class="choices">
      <legend>{props.label}</legend>
      {props.values.map((value) => (
        <Check
          key={value}
          checked={props.chosen.has(value)}
          onChange={(on) => props.onChosen(withOrWithout(props.chosen, value, on))}
        >
          {props.textOf(value)}
        </Check>
      ))}
    </fieldset>
  )
}

/** A set with `value` if it is `on`, else without it. */
export function withOrWithout<Value>(set: ReadonlySet<Value>, value: Value, on: boolean): ReadonlySet<Value> {
  return new Set([...[...set].filter((each) => each !== value), ...(on ? [value] : [])])
}

/** Buttons of which one is pressed. */
export function Segments<Value extends string>(props: {
  label: string
  value: Value
  options: readonly { value: Value; label: string; icon?: ComponentChildren }[]
  onValue(value: Value): void
  class?: string
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out inside a line of text
    <span class={props.class ? `seg ${props.class}` : 'seg'} role="group" aria-label={props.label}>
      {props.options.map(({ value, label, icon }) => (
        <button type="button" key={value} aria-pressed={value === props.value} onClick={() => props.onValue(value)}>
          {icon}
          <span class="t">{label}</span>
        </button>
      ))}
    </span>
  )
}

/** Moves the focus after a failed submit: to the first invalid field, else to the error message. */
export function focusFault(form: EventTarget | null): void {
  requestAnimationFrame(() => {
    if (!(form instanceof HTMLElement)) return
    form.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus()
  })
}
