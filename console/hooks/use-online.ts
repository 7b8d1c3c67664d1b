import { signal } from '@preact/signals'

/** What the browser believes of the network; it is wrong about real outages, which each request finds by itself. */
export const online = signal(typeof navigator === 'undefined' || navigator.onLine)

addEventListener('online', () => {
  online.value = true
})
addEventListener('offline', () => {
  online.value = false
})
