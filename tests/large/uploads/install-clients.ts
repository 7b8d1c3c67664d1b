import { fileURLToPath } from 'node:url'
import { installFolder } from '../../kit/install-folder.ts'

/** Where other people's upload clients are. */
export const CLIENTS = fileURLToPath(new URL('clients/', import.meta.url))

/** Installs them: only this suite needs them. */
export default async function installClients(): Promise<void> {
  await installFolder(CLIENTS, '--ignore-scripts')
}
