import { signal } from '@preact/signals'

/** The browser's opinion of the network. It misses real outages, which each request detects itself. */
export const online = signal(typeof navigator === 'undefined' || navigator.onLine)

addEventListener('online', () => {
  online.value = true
})
addEventListener('offline', () => {
  online.value = false
})
