import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Installs the packages of the package.json in `folder`, unless installed: large ones that only one suite needs. */
export async function installFolder(folder: string, ...options: string[]): Promise<void> {
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', ...options], {
    cwd: folder,
  })
}
