import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { isFirefox, pickFiles } from './pick-files.ts'

/**
 * Drops files or folders of this machine on an element, as dragged from a file manager. No driver does so in Firefox:
 * there the page's file picker is used.
 */
export async function dropFiles(page: Page, target: Locator, paths: readonly string[]): Promise<void> {
  if (isFirefox(page)) {
    const [path = ''] = paths
    if ((await stat(path)).isDirectory()) await pickFiles(page, path)
    else await page.setInputFiles('input[type=file]:not([webkitdirectory])', [...paths])
    return
  }
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (!box) throw new Error('the target of the drop is not visible')
  const devtools = await page.context().newCDPSession(page)
  const place = { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 40) }
  const data = { items: [], files: paths.map((path) => resolve(path)), dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devtools.send('Input.dispatchDragEvent', { type, ...place, data })
  }
  await devtools.detach()
}
