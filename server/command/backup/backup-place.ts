/** A backup can't be made or used; the message says why. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/** Written last: what has none is of a backup that did not end. */
export const LIST = 'backup.json'

/** Where the files of one backup are, by their paths below it. All throw {@link BackupError}. */
export interface BackupPlace {
  /** As `restore --from` takes it. */
  name: string
  /** The list, or `undefined` where there is none. */
  readList(): Promise<string | undefined>
  /** Makes the place, which must be empty. */
  begin(): Promise<void>
  /** A path on this machine for a file of the backup, which `keep` takes away or leaves there. */
  draft(path: string): string
  /** Has a drafted file outlast a power cut. */
  keep(path: string): Promise<void>
  /** Writes the list, and ends the backup. */
  writeList(text: string): Promise<void>
  /** Removes what is left on this machine of a backup that failed, or that ended. */
  end(): Promise<void>
  /** Writes a file of the backup, which has `size` bytes, to a path on this machine. */
  fetch(path: string, size: number, to: string): Promise<void>
}
