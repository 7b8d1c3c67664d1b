import { signal } from '@preact/signals'
import { api, type Schemas } from '../api/client.ts'

/** How many items the account has by state, as it was last told. */
export const counted = signal<{
  data?: Schemas['ItemCounts']
  /** Unix seconds. */
  readAt: number
  /** Whether it could not be asked for since. */
  old: boolean
}>({ readAt: 0, old: false })

let asked = 0

/** Asks anew; where no answer comes, what was told before stays, and is old. */
export async function readCounts(): Promise<void> {
  const turn = ++asked
  try {
    const data = await api.GET('/v0/item/counts')
    if (turn === asked) counted.value = { data, readAt: Date.now() / 1000, old: false }
  } catch {
    if (turn === asked) counted.value = { ...counted.value, old: true }
  }
}

/** For who signs in next. */
export function forgetCounts(): void {
  asked++
  counted.value = { readAt: 0, old: false }
}
