import { signal } from '@preact/signals'

/** Announcements closer together would interrupt each other. */
const APART_MS = 1_000

const spoken = signal('')
let last = 0

/** Announces `sentence` to a screen reader, once, without moving the focus. */
export function announce(sentence: string): void {
  const wait = Math.max(0, last + APART_MS - Date.now())
  last = Date.now() + wait
  setTimeout(() => {
    // A screen reader repeats the same sentence only if the text changes.
    spoken.value = spoken.value === sentence ? `${sentence}\u200b` : sentence
  }, wait)
}

/** The only polite live region of the console. */
export function Announcer() {
  return (
    <p class="vh" role="status" aria-live="polite">
      {spoken.value}
    </p>
  )
}
