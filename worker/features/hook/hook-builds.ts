import { MemoryCache } from '../../platform/flow/memory-cache.ts'
import type { BuiltFile } from '../../platform/http/built-file.ts'
import { readStoredFile, storeFile } from '../../platform/http/stored-file.ts'
import { hashedAssets, hookScript } from './hook-assets.ts'

/** `/hook/show.<hash>.js` and `/hook.<hash>.js` have no name in common, so one prefix holds both. */
const key = (path: string) => `hook/${path.slice(path.lastIndexOf('/') + 1)}`

/** Whether this isolate has seen that the build is stored. */
const seen = new MemoryCache<true>(0)

/**
 * Stores this build's files in R2 under their immutable names: a page that pins `/hook.<hash>.js` with
 * `integrity`, or has an older helper in its cache, still gets it and its parts after the next deployment.
 */
export async function storeHookBuild(bucket: R2Bucket): Promise<void> {
  const { path } = hookScript
  if (seen.get(path)) return
  seen.set(path, true, 0)
  try {
    if (await bucket.head(key(path))) return
    // The helper last: where it is, its parts are.
    const files = [...hashedAssets.values()].sort((a, b) => Number(a === hookScript) - Number(b === hookScript))
    for (const file of files) await storeFile(bucket, key(file.path), file)
  } catch (error) {
    seen.delete(path)
    console.error('hook_build_not_kept', error)
  }
}

/** A file of an earlier build. */
export async function readStoredAsset(bucket: R2Bucket, path: string): Promise<BuiltFile | undefined> {
  return await readStoredFile(bucket, key(path), path)
}
