import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installFolder } from '../../kit/install-folder.ts'

const run = promisify(execFile)
const FOLDER = fileURLToPath(new URL('.', import.meta.url))
/** Where packages of Debian are unpacked: git ignores it. */
const DEBIAN = join(FOLDER, 'node_modules', '.debian')

/** The files of a website by their paths. */
export type SiteFiles = Record<string, Uint8Array | string>

/** The folder of a package of npm, which is installed where it is not. */
export async function npmPackage(name: string): Promise<string> {
  const folder = join(FOLDER, 'node_modules', name)
  if (!existsSync(folder)) await installFolder(FOLDER, '--ignore-scripts')
  return folder
}

/**
 * The folder `usr` of Debian's packages, unpacked into one; they are downloaded, not installed. Of a large package only the
 * files below `part` of the folder `usr`. @throws where there is no apt, or no such package
 */
export async function debianPackages(names: readonly string[], part = ''): Promise<string> {
  const folder = join(DEBIAN, names.join('+'))
  if (!existsSync(folder)) {
    const making = `${folder}.${process.pid}`
    await mkdir(making, { recursive: true })
    try {
      await run('apt-get', ['download', '--quiet', ...names], { cwd: making })
      for (const file of (await readdir(making)).filter((name) => name.endsWith('.deb'))) {
        const members = part === '' ? [] : [`./usr/${part}`]
        await run('sh', ['-c', 'dpkg-deb --fsys-tarfile "$0" | tar -x "$@"', file, ...members], { cwd: making })
        await rm(join(making, file))
      }
      await rename(making, folder)
    } finally {
      await rm(making, { recursive: true, force: true })
    }
  }
  return join(folder, 'usr')
}

/** The files below a folder, links followed; what links to something that is not there is left out, as are `without`. */
export async function readFolder(folder: string, without = /$^/): Promise<SiteFiles> {
  const files: SiteFiles = {}
  const read = async (path: string) => {
    const found = await stat(join(folder, path)).catch(() => undefined)
    if (!found || without.test(path)) return
    if (found.isDirectory()) for (const name of await readdir(join(folder, path))) await read(join(path, name))
    else files[path] = await readFile(join(folder, path))
  }
  await read('.')
  return files
}
