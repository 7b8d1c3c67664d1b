import { scheduler } from 'node:timers/promises'

// What the Worker has as a global of workerd.
Object.assign(globalThis, { scheduler })
