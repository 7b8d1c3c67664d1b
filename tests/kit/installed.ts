import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these programs that is installed. @throws {Error} that says how to install it. */
export function installed(...names: string[]): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
  if (found !== undefined) return found
  throw new Error(`${names[0]} is not installed. On Debian: apt-get install firefox-esr webkit2gtk-driver xvfb`)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
