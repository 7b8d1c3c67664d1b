import { cp, readdir, writeFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import type { Page } from 'playwright-core'
import { tempFolder } from './temp-folder.ts'

/** Replaces the slashes of a path in a file name. */
const SLASH = '\u2215'

export interface PickedFile {
  name: string
  buffer: Uint8Array
}

/** Whether the page is in Firefox, whose driver can do less. */
export function isFirefox(page: Page): boolean {
  return page.context().browser()?.browserType().name() === 'firefox'
}

/** Chooses files in the console's file picker, or a folder in its folder picker. */
export async function pickFiles(page: Page, picked: string | readonly PickedFile[]): Promise<void> {
  if (typeof picked !== 'string') {
    const folder = await tempFolder()
    for (const { name, buffer } of picked) await writeFile(join(folder, name), buffer)
    const paths = picked.map(({ name }) => join(folder, name))
    await page.setInputFiles('input[type=file]:not([webkitdirectory])', paths)
  } else if (isFirefox(page)) await pickFilesOfFolder(page, picked)
  else await page.setInputFiles('input[type=file][webkitdirectory]', picked)
}

/** No driver chooses a folder in Firefox: its files are chosen, with the paths that Firefox's own picker would set. */
async function pickFilesOfFolder(page: Page, picked: string): Promise<void> {
  const flat = await tempFolder()
  const paths: string[] = []
  for (const entry of await readdir(picked, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const within = [basename(picked), ...relative(picked, path).split(sep)].join(SLASH)
    await cp(path, join(flat, within))
    paths.push(join(flat, within))
  }
  await page.locator('input[type=file][webkitdirectory]').evaluate((element, slash) => {
    Object.defineProperty(File.prototype, 'webkitRelativePath', {
      configurable: true,
      get(this: File) {
        return this.name.includes(slash) ? this.name.replaceAll(slash, '/') : ''
      },
    })
    element.removeAttribute('webkitdirectory')
    element.id = 'picker-of-folders'
  }, SLASH)
  await page.setInputFiles('#picker-of-folders', paths)
}
