import { tmpdir } from 'node:os'
import type { TestProject } from 'vitest/node'
import { inFirefox, isPackaged, packagedChromium } from './launch-browser.ts'

/**
 * Unpacks the Chromium that npm installs where the files of a project have their temporary files, before they run: two files at a time
 * would unpack it both, and run what the other still writes (ETXTBSY).
 */
export default async function unpackBrowser({ config }: TestProject): Promise<void> {
  if (!isPackaged() || inFirefox()) return
  const before = tmpdir()
  process.env.TMPDIR = config.env.TMPDIR ?? before
  try {
    await packagedChromium()
  } finally {
    process.env.TMPDIR = before
  }
}
