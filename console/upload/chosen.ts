import { signal } from '@preact/signals'
import type { StorageTarget } from '../../protocol/chains.ts'
import type { ChosenFile } from '../core/chosen-files.ts'
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
}

/** Here and not in the view: signing in again, and looking at another view, keep it. */
const choice = signal<Choice | undefined>(undefined)

/** What the one who is signed in has chosen and not stored yet. */
export function chosen(): Choice {
  const account = claims.value?.id
  const { value } = choice
  return value && value.account === account ? value : { account, files: [], leftOut: [], target: undefined }
}

export function choose(change: (now: Choice) => Partial<Choice>): void {
  const now = chosen()
  choice.value = { ...now, ...change(now) }
}

export function chooseNothing(): void {
  choice.value = undefined
}
