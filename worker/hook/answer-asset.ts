import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { matchesEtag } from '../http/etag.ts'
import { takesBrotli } from '../http/negotiate-encoding.ts'
import type { HookAsset } from './hook-assets.ts'

/** Answers with a built file: as stored when the client takes Brotli, decoded otherwise; 304 when it has it. */
export function answerAsset(c: Context<AppEnv>, asset: HookAsset, headers: Record<string, string>): Response {
  const brotli = takesBrotli(c.req.raw)
  const etag = brotli ? asset.etag.replace(/"$/, '-br"') : asset.etag
  const common = {
    ...headers,
    ETag: etag,
    Vary: 'Accept-Encoding',
    // Pages that isolate themselves (COEP: require-corp) load only what says that it may be loaded.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  }
  if (matchesEtag(c.req.header('If-None-Match'), etag)) return new Response(null, { status: 304, headers: common })
  const content = { ...common, 'Content-Type': asset.type }
  if (!brotli) return new Response(asset.raw(), { headers: content })
  return new Response(asset.compressed, { encodeBody: 'manual', headers: { ...content, 'Content-Encoding': 'br' } })
}
