import { drawLongLine, nameBytes } from '../core/long-line.ts'
import { texts } from '../texts/index.ts'

const NO_NAME = new Uint8Array(32)

/** The verification of a name; `unknown`: there is no name yet. */
export type LineState = 'unknown' | 'reading' | 'written' | 'verified' | 'refused'

/** The 32 bytes of a name as lines; green and sealed only if this browser has verified the bytes. */
export function LongLine(props: { name: string | undefined; state: LineState; share?: number; small?: boolean }) {
  const { name, state, share = 1, small = false } = props
  const height = small ? 14 : 28
  const bytes = name === undefined ? undefined : nameBytes(name)
  const known = state !== 'unknown' && bytes !== undefined
  const reading = state === 'reading' ? share : state === 'refused' ? 0.55 : 1
  const { width, top, hung } = drawLongLine(bytes ?? NO_NAME, small ? 3 : 8, height, reading)
  const cut = width * 0.53
  return (
    <span class={`longline ${state}`} role="img" aria-label={lineLabel(state)}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        fill="none"
        stroke="currentColor"
        aria-hidden="true"
      >
        {state === 'refused' ? (
          <g>
            <path d={`M0 1.5h${cut}`} />
            <path d={`M${cut + 16} 1.5H${width}`} stroke-dasharray="2 3" />
            <path d={`M${cut + 1} 4l7 7m0-7-7 7`} stroke-width="1.5" />
          </g>
        ) : (
          <path d={top} stroke-width="1" stroke-dasharray={known ? undefined : '2 3'} />
        )}
        {known && <path d={hung} stroke-width={small ? 1.4 : 2} />}
      </svg>
      {state === 'verified' && <SealMark size={small ? 14 : 28} />}
    </span>
  )
}

function lineLabel(state: LineState): string {
  if (state === 'verified') return texts.done.longVerified
  if (state === 'refused') return texts.done.longRefused
  return state === 'unknown' ? texts.done.longUnknown : texts.done.bytesOfName
}

/** A block with a tick in the form of a fish hook; only if this browser has verified the bytes. */
export function SealMark({ size }: { size: number }) {
  return (
    <svg class="seal-mark" viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <rect width="16" height="16" rx="3" fill="currentColor" />
      <path class="tick-line" d="M12.3 3.6 8.6 10.5C7.3 13 4 12.1 3.7 9.3L3.5 7l2.3 1.7" />
    </svg>
  )
}

export type BlockFill = 'hollow' | 'half' | 'full'

export function Block({ fill }: { fill: BlockFill }) {
  return <i class={fill === 'hollow' ? 'blk' : `blk ${fill}`} />
}

/** As many blocks as the chain needs, filled one by one, with the words beside them; the first is half if it is `sent`. */
export function Depth({ depth, needed, text, sent }: { depth: number; needed: number; text: string; sent?: boolean }) {
  const shown = Math.min(needed, 12)
  return (
    <span class="depth">
      {Array.from({ length: shown }, (_, index) => (
        <Block key={index} fill={index < depth ? 'full' : sent && index === 0 ? 'half' : 'hollow'} />
      ))}
      <span>{text}</span>
    </span>
  )
}

/** The hook at the end of the line of steps. */
export function HookMark() {
  return (
    <svg class="hook-mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M12 0v13a4 4 0 0 1-8 0v-2l2.5 2" />
    </svg>
  )
}

/** A line with a hook over a row of blocks, for empty places. */
export function Tackle() {
  return (
    <svg class="tackle" viewBox="0 0 112 216" aria-hidden="true">
      <path d="M56 0v142a15 15 0 0 1-30 0v-7l8 7" />
      <path class="water" d="M0 56h44m24 0h44" />
      <g class="chain">
        <rect x="68" y="172" width="16" height="16" rx="2" />
        <path d="M84 180h28M44 180h24M0 180h28" />
      </g>
      <rect class="bite" x="28" y="172" width="16" height="16" rx="2" />
    </svg>
  )
}

export function Brand() {
  return (
    <>
      <svg class="brand-mark" viewBox="0 0 22 22" aria-hidden="true">
        <path d="M14.5 1v12.5a4.75 4.75 0 0 1-9.5 0V11" />
        <rect x="2.6" y="4.6" width="4.8" height="4.8" rx="1" />
      </svg>
      {texts.product}
    </>
  )
}
