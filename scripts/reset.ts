import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

// The state that `npm start` keeps: the embedded chains, the database, the stored files.
await rm(fileURLToPath(new URL('../.hookline', import.meta.url)), { recursive: true, force: true })
console.log('Removed .hookline. `npm start` begins anew.')
