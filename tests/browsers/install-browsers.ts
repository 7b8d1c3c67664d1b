import { fileURLToPath } from 'node:url'
import { installFolder } from '../kit/install-folder.ts'
import { installed } from '../kit/installed.ts'

/** Sees that the browsers are there, and installs what drives Firefox, which only this suite needs. */
export default async function installBrowsers(): Promise<void> {
  installed('firefox-esr', 'firefox')
  installed('WebKitWebDriver')
  installed('Xvfb')
  await installFolder(fileURLToPath(new URL('tools', import.meta.url)), '--ignore-scripts')
}
