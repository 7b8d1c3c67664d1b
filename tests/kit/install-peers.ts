import { fileURLToPath } from 'node:url'
import { installFolder } from './install-folder.ts'

/** The folder of other projects' readers, and of the scripts that use them. */
export const PEERS = fileURLToPath(new URL('./peers/', import.meta.url))

/** Installs `@helia/verified-fetch` and what it needs into `PEERS`. */
export async function installPeers(): Promise<void> {
  await installFolder(PEERS, '--ignore-scripts')
}
