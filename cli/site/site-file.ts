import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fields } from '../../client/http/parse-json.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { writeWhole } from '../state/write-whole.ts'

/** Names the site of a folder; it contains no secret and is never stored itself. */
const NAME = '.hookline.json'

interface SiteFile {
  /** Origin of the service. */
  api: string
  /** Id or name of the site. */
  site: string
}

/**
 * The content of a folder's `.hookline.json`; `undefined` if there is none.
 * @throws {CommandError} 2 for an invalid file
 */
export async function readSiteFile(folder: string): Promise<SiteFile | undefined> {
  const path = join(folder, NAME)
  try {
    const file = new Fields(JSON.parse(await readFile(path, 'utf8')), 'The file')
    const { origin } = new URL(file.string('api'))
    return { api: origin, site: file.string('site') }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw usageError(
      `${path} cannot be read.`,
      'Its form is {"api": "https://…", "site": "…"}, with the id or name of a site.',
    )
  }
}

/** Stores which site a folder is. A read-only folder stays as it is. */
export async function saveSite({ output }: Context, folder: string, site: SiteFile): Promise<void> {
  try {
    await writeWhole(join(folder, NAME), `${JSON.stringify(site, undefined, 2)}\n`, { anybody: true })
    output.note(`The site was recorded in ${join(folder, NAME)}.`)
  } catch {
    output.note(`${join(folder, NAME)} could not be written; give --site next time.`)
  }
}
