import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import type { BuiltFile } from '../../platform/http/built-file.ts'
import { readStoredFile, storeFile } from '../../platform/http/stored-file.ts'
import { consoleFiles } from './console-files.ts'

const DAY = 86_400_000
/** How long a tab that is open during a deployment finds the views that it has not loaded yet. */
const RETENTION = 30 * DAY
/** What is in use is stored again so often, or it would be old already when the next build takes its place. */
const RENEWED = 7 * DAY

const PAGE = '/console'
const ASSETS = 'console/assets/'
const BUILDS = 'console/builds/'

const keyOf = (path: string) => path.slice(1)

/** When this isolate last made sure that the build is stored; milliseconds. */
const seen = new MemoryCache<number>(0)

/**
 * Stores this build's files in R2 under their immutable names, and removes those of builds that nobody has open any
 * more. Does nothing until a day has passed since it was last sure. @param now milliseconds
 */
export async function storeConsoleBuild(bucket: R2Bucket, now: number): Promise<void> {
  const before = seen.get(PAGE)
  if (before !== undefined && now - before < DAY) return
  seen.set(PAGE, now, 0)
  try {
    const mark = BUILDS + (consoleFiles.get(PAGE)?.etag ?? '').replaceAll(/\W/g, '')
    const stored = await bucket.head(mark)
    if (stored && now - stored.uploaded.getTime() < RENEWED) return
    const files = [...consoleFiles.values()].filter(({ path }) => path !== PAGE)
    for (const file of files) await storeFile(bucket, keyOf(file.path), file)
    // Last: where it is, the files are.
    await bucket.put(mark, '')
    await removeOld(bucket, new Set([mark, ...files.map(({ path }) => keyOf(path))]), now)
  } catch (error) {
    if (before === undefined) seen.delete(PAGE)
    else seen.set(PAGE, before, 0)
    console.error('console_build_not_kept', error)
  }
}

/** A file of an earlier build, while it is stored. */
export async function readStoredAsset(bucket: R2Bucket, path: string): Promise<BuiltFile | undefined> {
  return /^\/console\/assets\/[\w.-]{1,100}$/.test(path) ? await readStoredFile(bucket, keyOf(path), path) : undefined
}

/** One page of each list at a time, which is more than a week of builds leaves. */
async function removeOld(bucket: R2Bucket, inUse: ReadonlySet<string>, now: number): Promise<void> {
  for (const prefix of [ASSETS, BUILDS]) {
    const { objects } = await bucket.list({ prefix })
    const old = objects.filter(({ key, uploaded }) => !inUse.has(key) && now - uploaded.getTime() > RETENTION)
    if (old.length > 0) await bucket.delete(old.map(({ key }) => key))
  }
}
