import { type Context, Hono } from 'hono'
import { answerFile } from '../../../platform/http/answer-file.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'

/** What a host answers whose site a page's helper shows: the shell around the site, and its service worker. */
export const frameHost = new Hono<AppEnv>()

/** Short, so that a fix reaches every page within minutes. The worker itself keeps the shell for a page without network. */
const FRESH = 'public, max-age=300'

frameHost.get('/.hookline/shell', async (c) => {
  const { shellPage } = await import('../hook-assets.ts')
  const headers = { 'Cache-Control': FRESH, 'Content-Security-Policy': shellPolicy(c), ...isolation(c) }
  return answerFile(c.req.raw, shellPage, headers)
})

frameHost.get('/.hookline/worker.js', async (c) => {
  const { frameWorker } = await import('../hook-assets.ts')
  return answerFile(c.req.raw, frameWorker, {
    'Cache-Control': FRESH,
    'Content-Security-Policy': "default-src 'none'; connect-src 'self'",
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Service-Worker-Allowed': '/',
  })
})

/** The site in the shell stays on its host, unless the page's author has opened it: no policy of its own could stop it. */
function shellPolicy(c: Context<AppEnv>): string {
  const frames = c.req.query('navigate') === undefined ? "'self'" : '*'
  return `frame-src ${frames}; worker-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'`
}

/** An isolated page may embed only documents that are isolated too. */
function isolation(c: Context<AppEnv>): Record<string, string> {
  return c.req.query('isolated') === undefined ? {} : { 'Cross-Origin-Embedder-Policy': 'require-corp' }
}
