import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'
import { Block, type BlockFill } from './motif.tsx'

/** The situation, then what to do; at most one at the top of a page. */
export function Notice(props: { kind?: 'warn' | 'bad'; icon?: IconName; live?: boolean; children: ComponentChildren }) {
  const icon = props.icon ?? (props.kind === 'bad' ? 'stop' : props.kind === 'warn' ? 'warning' : 'clock')
  return (
    <div class={props.kind ? `notice ${props.kind}` : 'notice'} role={props.live ? 'status' : undefined}>
      <Icon name={icon} />
      <div>{props.children}</div>
    </div>
  )
}

/** A progress bar; used only if the total is known. */
export function Bar({ label, share, done = false }: { label: string; share: number; done?: boolean }) {
  const percent = Math.max(0, Math.min(100, share * 100))
  return (
    <span
      class={done ? 'bar done' : 'bar'}
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.round(percent)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${percent}%` }} />
    </span>
  )
}

export interface StateLook {
  kind?: 'warn' | 'bad' | 'busy' | 'quiet' | undefined
  /** Default: a stop sign for `bad`, else none. */
  icon?: IconName
  block?: BlockFill
}

/** A state as a shape and a word; colour is only an addition. */
export function State(props: StateLook & { children: ComponentChildren }) {
  const { kind, block, icon = kind === 'bad' ? 'stop' : undefined } = props
  return (
    <span class={kind ? `state ${kind}` : 'state'}>
      {icon && <Icon name={icon} />}
      {block && <Block fill={block} />}
      <span>{props.children}</span>
    </span>
  )
}
