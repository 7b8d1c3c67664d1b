import type { CallOptions } from '../resources/call-options.ts'
import type { PutFile } from '../store/put-plan.ts'

/** A file that a person opened in a page: a `FileSystemFileHandle`. */
export interface FileHandle {
  readonly kind: 'file'
  readonly name: string
  getFile(): Promise<File>
}

/** A folder that a person opened in a page: a `FileSystemDirectoryHandle`, as far as it is read. */
export interface FolderHandle {
  readonly kind: 'directory'
  readonly name: string
  values(): AsyncIterable<FolderHandle | FileHandle>
  getFileHandle(name: string): Promise<FileHandle>
}

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
