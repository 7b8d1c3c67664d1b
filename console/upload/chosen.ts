import { signal } from '@preact/signals'
import type { StorageTarget } from '../../protocol/chains.ts'
import { type ChosenFile, findIndex, topEntries } from '../core/chosen-files.ts'
import type { SiteOfOrder } from '../core/order.ts'
import { claims } from '../session/access.ts'
import type { FileSource } from './read-dropped.ts'

export type Chosen = ChosenFile<FileSource>

interface Choice {
  /** The account's id. */
  account: string | undefined
  files: Chosen[]
  /** What is not stored unless it is taken in. */
  leftOut: Chosen[]
  /** Undefined until somebody chose one. */
  target: StorageTarget | undefined
  /** Whether a folder becomes one website on a chain; undefined until somebody chose. */
  website: boolean | undefined
  /** The site that it is for. */
  site: SiteOfOrder | undefined
}

/** Here and not in the view: signing in again, and looking at another view, keep it. */
const choice = signal<Choice | undefined>(undefined)

/** What the one who is signed in has chosen and not stored yet. */
export function chosen(): Choice {
  const account = claims.value?.id
  const { value } = choice
  if (value && value.account === account) return value
  return { account, files: [], leftOut: [], target: undefined, website: undefined, site: undefined }
}

/** Whether folders become websites on a chain: as was chosen, else where one has a page at its top. Undefined without one. */
export function wantsWebsite({ files, website, site }: Choice): boolean | undefined {
  const folders = topEntries(files).filter(({ folder }) => folder)
  if (folders.length === 0) return undefined
  return website ?? (site !== undefined || folders.some(({ name }) => findIndex(files, name).index))
}

export function choose(change: (now: Choice) => Partial<Choice>): void {
  const now = chosen()
  choice.value = { ...now, ...change(now) }
}

export function chooseNothing(): void {
  choice.value = undefined
}
