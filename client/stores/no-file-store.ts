import type { StateStore } from './state-store.ts'

/** In place of `file-store.ts` where there are no files: browsers and Workers. */
export async function openFileStore(_folder?: string): Promise<StateStore | undefined> {
  return undefined
}
