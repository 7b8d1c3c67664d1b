import { Hono } from 'hono'
import { answerFile } from '../../../platform/http/answer-file.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { IMMUTABLE } from '../../../platform/http/policies.ts'

/** The page helper and its lazy parts. */
export const hook = new Hono<AppEnv>()

// Short, so that a fix reaches every page within minutes; a page without network uses its cached copy.
const FRESH = { 'Cache-Control': 'public, max-age=300, stale-while-revalidate=2592000' }

const assets = async () => await import('../hook-assets.ts')
const builds = async () => await import('../hook-builds.ts')

hook.get('/hook.js', async (c) => {
  const [{ hookScript }, { storeHookBuild }] = await Promise.all([assets(), builds()])
  c.executionCtx.waitUntil(storeHookBuild(c.env.BUCKET))
  return answerFile(c.req.raw, hookScript, FRESH)
})

hook.get('/hook.json', async (c) => {
  const [{ hashedAssets, manifest }, { checkpoints }] = await Promise.all([
    assets(),
    import('../../../chain/checkpoints.ts'),
  ])
  const { path, integrity, size } = manifest['hook.js']
  const parts = Object.values(manifest).filter((part) => part.path !== path && hashedAssets.has(part.path))
  const url = new URL(path, c.get('config').baseUrl).href
  const body = {
    url,
    path,
    integrity,
    size,
    parts: parts.map(({ path, integrity, size }) => ({ path, integrity, size })),
    checkpoints,
    frames: c.get('config').storageHost,
  }
  return c.json(body, 200, FRESH)
})

hook.on('GET', ['/:file{hook\\.[0-9a-f]{16}\\.js}', '/hook/:file{[a-z]+\\.[\\w-]{16}\\.[a-z]+}'], async (c) => {
  const [{ hashedAssets }, { storeHookBuild, readStoredAsset }] = await Promise.all([assets(), builds()])
  const current = hashedAssets.get(c.req.path)
  if (current) c.executionCtx.waitUntil(storeHookBuild(c.env.BUCKET))
  const asset = current ?? (await readStoredAsset(c.env.BUCKET, c.req.path))
  if (!asset) throw new AppError(404, 'not_found', 'No version of the page helper has this name. See /hook.js.')
  return answerFile(c.req.raw, asset, { 'Cache-Control': IMMUTABLE })
})
