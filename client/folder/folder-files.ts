import type { PutFile } from '../put/put-plan.ts'
import type { CallOptions } from '../resources/call-options.ts'

export interface FolderOptions extends CallOptions {
  /** Takes files and folders whose name begins with a dot, too; `.well-known` is always taken. */
  hidden?: boolean | undefined
}

/** A path that is left out, and why. */
export interface SkippedPath {
  path: string
  why: string
}

/** A folder as it can be stored. */
export interface FolderFiles {
  name: string
  files: PutFile[]
  /** Paths of the folders of which nothing is taken. */
  emptyFolders: readonly string[]
  skipped: readonly SkippedPath[]
}
