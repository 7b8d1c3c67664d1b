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
  /** Files that are not stored unless the user includes them. */
  leftOut: Chosen[]
  /** Undefined until the user chose one. */
  target: StorageTarget | undefined
  /** Whether a folder becomes one website on a chain; undefined until the user chose. */
  website: boolean | undefined
  /** The site that the files are for; undefined until it was chosen or proposed, and where nothing is published. */
  site: SiteOfOrder | undefined
  /** Whether the user chose that a website is stored and not published. */
  onlyStore: boolean
}

/** Outside of the view, so that it survives another login and other views. */
const choice = signal<Choice | undefined>(undefined)

/** The files that this user has chosen but not stored yet. */
export function chosen(): Choice {
  const account = claims.value?.id
  const { value } = choice
  if (value && value.account === account) return value
  return { account, files: [], leftOut: [], target: undefined, website: undefined, site: undefined, onlyStore: false }
}

/**
 * Whether folders become websites on a chain: the user's choice, else true if one has an index page at its top.
 * Undefined without one.
 */
export function becomesWebsite({ files, website, site }: Choice): boolean | undefined {
  const folders = topEntries(files).filter(({ folder }) => folder)
  if (folders.length === 0) return undefined
  return website ?? (site?.id !== undefined || folders.some(({ name }) => findIndex(files, name).index))
}

export function choose(change: (now: Choice) => Partial<Choice>): void {
  const now = chosen()
  choice.value = { ...now, ...change(now) }
}

export function chooseNothing(): void {
  choice.value = undefined
}
