import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts/index.ts'
import { announce } from './announce.tsx'
import { Icon } from './icon.tsx'

const SHOWN_MS = 2_000

/** A button that copies `text` and confirms that for 2 s, also to screen readers. */
export function CopyButton(props: {
  text: string
  what: string
  class?: string
  children?: ComponentChildren
  shortcut?: string
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    await navigator.clipboard.writeText(props.text)
    setCopied(true)
    announce(texts.announce.copied(props.what))
  }
  return (
    <button
      type="button"
      class={props.class}
      onClick={copy}
      data-shortcut={props.shortcut}
      aria-label={`${copied ? texts.common.copied : texts.common.copy}: ${props.what}`}
    >
      <Icon name={copied ? 'tick' : 'copy'} />
      {copied ? texts.common.copied : (props.children ?? texts.common.copy)}
    </button>
  )
}

/** A value with a copy button; `shown` if it is displayed differently. */
export function CopyField(props: {
  label: string
  text: string
  shown?: ComponentChildren
  clip?: boolean
  shortcut?: string
}) {
  return (
    <div class="copy-field">
      <p class="quiet small">{props.label}</p>
      <div class="copy">
        <code class={props.clip ? 'clip' : undefined} title={props.clip ? props.text : undefined}>
          {props.shown ?? props.text}
        </code>
        <CopyButton
          text={props.text}
          what={props.label}
          {...(props.shortcut !== undefined && { shortcut: props.shortcut })}
        />
      </div>
    </div>
  )
}
