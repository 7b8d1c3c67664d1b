import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Installs what the package.json in `folder` names, unless it is there: what only one suite needs, and is large. */
export async function installFolder(folder: string, ...options: string[]): Promise<void> {
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', ...options], {
    cwd: folder,
  })
}
