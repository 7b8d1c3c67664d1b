import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HooklineError } from '../http/api-error.ts'

/**
 * Keeps a second run of the same command out of `folder` until the returned function is called or this process ends.
 * The lock names the process and its start time, since another process may have its id by now.
 * @throws {HooklineError} `running_already` while another run has the lock
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock')
  const own = `${process.pid} ${startOf(process.pid)}`
  const draft = `${path}.${process.pid}`
  await writeFile(draft, own, { mode: 0o600 })
  try {
    for (let tries = 0; tries < 5; tries++) {
      try {
        // A link never replaces a file, unlike a rename.
        await link(draft, path)
        return () => rm(path, { force: true })
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      }
      const owner = await readFile(path, 'utf8').catch(() => '')
      if (isAlive(owner)) throw inUse(owner)
      // Two runs may see the same stale lock; only one can rename it.
      await rename(path, `${draft}.dead`).catch(() => undefined)
      const taken = await readFile(`${draft}.dead`, 'utf8').catch(() => owner)
      if (taken !== owner && isAlive(taken)) {
        await link(`${draft}.dead`, path).catch(() => undefined)
        throw inUse(taken)
      }
    }
    throw inUse('')
  } finally {
    await rm(draft, { force: true })
    await rm(`${draft}.dead`, { force: true })
  }
}

function inUse(owner: string): HooklineError {
  const [id] = owner.split(' ')
  const process = id ? ` (process ${id})` : ''
  return new HooklineError('running_already', `The same command is already running${process}. Wait until it ends.`)
}

function isAlive(owner: string): boolean {
  const [id = '', start = ''] = owner.split(' ')
  const pid = Number(id)
  if (!Number.isInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  const now = startOf(pid)
  return start === '' || now === '' || start === now
}

/** The start time of a process in kernel ticks; empty if the system does not tell (proc(5), field 22). */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
