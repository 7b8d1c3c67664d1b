import { signal } from '@preact/signals'

/** Sentences closer together than this would talk over each other. */
const APART_MS = 1_000

const spoken = signal('')
let last = 0

/** Says `sentence` to a screen reader, once, without moving the focus. */
export function announce(sentence: string): void {
  const wait = Math.max(0, last + APART_MS - Date.now())
  last = Date.now() + wait
  setTimeout(() => {
    // The same sentence again is only said where the text changes.
    spoken.value = spoken.value === sentence ? `${sentence}\u200b` : sentence
  }, wait)
}

/** The one polite region of the console. */
export function Announcer() {
  return (
    <p class="vh" role="status" aria-live="polite">
      {spoken.value}
    </p>
  )
}
