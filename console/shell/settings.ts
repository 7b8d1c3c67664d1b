import { signal } from '@preact/signals'
import { api, type Schemas } from '../api/client.ts'

/** What the operator set for the console; undefined until it was read. */
export const settings = signal<Schemas['ConsoleSettings'] | undefined>(undefined)

let reading: Promise<void> | undefined

/** Reads the settings once; without them the console works, but shows no letter and no links of embedded chains. */
export function readSettings(): Promise<void> {
  reading ??= api.GET('/console/settings').then(
    (found) => {
      settings.value = found
    },
    () => {
      reading = undefined
    },
  )
  return reading
}
