import { signal } from '@preact/signals'
import { api, type Schemas } from '../api/client.ts'

/** The last known number of items by state. */
export const counted = signal<{
  data?: Schemas['ItemCounts']
  /** Unix seconds. */
  readAt: number
  /** Whether a later request failed. */
  old: boolean
}>({ readAt: 0, old: false })

let asked = 0

/** Loads the numbers again; if that fails the earlier ones stay and are marked old. */
export async function readCounts(): Promise<void> {
  const turn = ++asked
  try {
    const data = await api.GET('/v0/item/counts')
    if (turn === asked) counted.value = { data, readAt: Date.now() / 1000, old: false }
  } catch {
    if (turn === asked) counted.value = { ...counted.value, old: true }
  }
}

/** Clears them for the next user. */
export function forgetCounts(): void {
  asked++
  counted.value = { readAt: 0, old: false }
}
