import { signal } from '@preact/signals'
import { api, type Schemas } from '../api/client.ts'

/** The operator's settings for the console; undefined until loaded. */
export const settings = signal<Schemas['ConsoleSettings'] | undefined>(undefined)

let reading: Promise<void> | undefined

/**
 * Loads the settings once. Without them the console works, but shows no sample and no explorer links of embedded
 * chains.
 */
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
