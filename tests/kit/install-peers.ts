import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where other people's readers are, and the scripts that use them. */
export const PEERS = fileURLToPath(new URL('./peers/', import.meta.url))

/** Installs `@helia/verified-fetch` and what it needs into `PEERS`, unless it is there. */
export async function installPeers(): Promise<void> {
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'], { cwd: PEERS })
}
