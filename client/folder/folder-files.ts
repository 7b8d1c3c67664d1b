import type { PutFile } from '../put/put-plan.ts'
import type { CallOptions } from '../resources/call-options.ts'

export interface FolderOptions extends CallOptions {
  /** Includes files and folders whose name begins with a dot. `.well-known` is always included. */
  hidden?: boolean | undefined
}

/** A path that is left out, with the reason. */
export interface SkippedPath {
  path: string
  why: string
}

/** The files of a folder that will be stored. */
export interface FolderFiles {
  name: string
  files: PutFile[]
  /** Paths of folders that contain no stored file. */
  emptyFolders: readonly string[]
  skipped: readonly SkippedPath[]
}
