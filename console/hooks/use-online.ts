import { signal } from '@preact/signals'

/** The value of `navigator.onLine`. It can be true without a connection; each request detects that itself. */
export const online = signal(typeof navigator === 'undefined' || navigator.onLine)

addEventListener('online', () => {
  online.value = true
})
addEventListener('offline', () => {
  online.value = false
})
