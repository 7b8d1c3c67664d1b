import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Schemas } from '../../api/client.ts'
import { mostBytes } from '../../core/chosen-files.ts'
import { limitText } from '../../core/size-text.ts'
import { Tackle } from '../../parts/motif.tsx'
import { texts } from '../../texts/index.ts'

/** The area to drop files on, with buttons for the same. */
export function DropZone(props: {
  targets: readonly Schemas['Target'][]
  reading: boolean
  onPick(list: FileList): void
  onDrop(transfer: DataTransfer): void
}) {
  const limits = [...props.targets]
    .sort((a, b) => mostBytes(b) - mostBytes(a))
    .map((target) => texts.store.limit(limitText(mostBytes(target)), target.blockchain))
  return (
    <DropArea label={texts.store.drop} onDrop={props.onDrop}>
      {(over) => (
        <>
          <Tackle />
          <div class="stack">
            <h2>{props.reading ? texts.store.reading : over ? texts.store.dropNow : texts.store.drop}</h2>
            {limits.length > 0 && <p class="quiet">{texts.store.limits(limits.join(', '))}</p>}
            <p class="row">
              <PickButton primary onPick={props.onPick}>
                {texts.store.chooseFiles}
              </PickButton>
              <PickButton folder onPick={props.onPick}>
                {texts.store.chooseFolder}
              </PickButton>
            </p>
          </div>
        </>
      )}
    </DropArea>
  )
}

/** An element that files are dropped on. Its children are a function of whether something is dragged over it. */
export function DropArea(props: {
  label: string
  slim?: boolean
  onDrop(transfer: DataTransfer): void
  children(over: boolean): ComponentChildren
}) {
  const [over, setOver] = useState(false)
  return (
    <section
      class={['drop', props.slim && 'slim', over && 'over'].filter(Boolean).join(' ')}
      aria-label={props.label}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        if (event.dataTransfer) props.onDrop(event.dataTransfer)
      }}
    >
      {props.children(over)}
    </section>
  )
}

/** A button that opens the browser's picker. */
export function PickButton(props: {
  onPick(list: FileList): void
  children: ComponentChildren
  folder?: boolean
  primary?: boolean
  single?: boolean
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class={props.primary ? 'btn primary' : 'btn'} onClick={() => input.current?.click()}>
        {props.children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={!props.single}
        {...(props.folder && { webkitdirectory: true })}
        onChange={(event) => {
          const { files } = event.currentTarget
          if (files && files.length > 0) props.onPick(files)
          // Otherwise choosing the same files again causes no event.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
