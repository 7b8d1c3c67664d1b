import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Lets `npx hookline` find the command in `folder`: npm links a bin only if its file is there while it installs, and this one is
 * built behind that. Changes nothing where there is a link, or nothing is installed.
 */
export function linkCommand(folder: string, platform = process.platform): void {
  const bins = join(folder, 'node_modules', '.bin')
  const link = join(bins, platform === 'win32' ? 'hookline.cmd' : 'hookline')
  if (!existsSync(bins) || existsSync(link)) return
  try {
    if (platform === 'win32')
      writeFileSync(link, '@node "%~dp0\\..\\hookline\\dist\\hookline.js" %*\r\n', { flag: 'wx' })
    else symlinkSync('../hookline/dist/hookline.js', link)
  } catch (error) {
    // Another build made it just now.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
