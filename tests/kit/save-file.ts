import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { vi } from 'vitest'
import { downloadsOf } from './launch-browser.ts'

/** A file that a page saved. */
export interface SavedFile {
  name: string
  text: string
}

/** The file that a page saves during `press`. In Firefox it has to be the first that the browser saves. */
export async function saveFile(page: Page, press: () => Promise<void>): Promise<SavedFile> {
  const browser = page.context().browser()
  const folder = browser ? downloadsOf.get(browser) : undefined
  if (folder !== undefined) {
    await press()
    return await vi.waitFor(() => onlyFile(folder), 60_000)
  }
  const [saved] = await Promise.all([page.waitForEvent('download'), press()])
  return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), 'utf8') }
}

/** The one file of a folder. @throws {Error} while it is not there, or is still written. */
async function onlyFile(folder: string): Promise<SavedFile> {
  const [name, ...others] = await readdir(folder)
  const text = name === undefined ? '' : await readFile(join(folder, name), 'utf8')
  if (name === undefined || others.length > 0 || text === '') throw new Error(`not one whole file in ${folder}`)
  return { name, text }
}
