import { Hono } from 'hono'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { documentPolicy } from '../../../platform/http/html-document.ts'

/** GET /docs, which / leads to, and GET /v0/openapi.json: what this API is. */
export const docs = new Hono<AppEnv>()

const CACHING = 'public, max-age=300'

docs.get('/v0/openapi.json', async (c) => {
  const { openapiDocument } = await import('../openapi-document.ts')
  return c.json(openapiDocument(c.get('config').baseUrl), 200, { 'Cache-Control': CACHING })
})

// Whoever opens the bare address in a browser wants to use it; a program asks what this is.
docs.get('/', (c) => {
  c.header('Vary', 'Sec-Fetch-Mode')
  return c.redirect(c.req.header('Sec-Fetch-Mode') === 'navigate' ? '/console' : '/docs')
})

docs.get('/docs', async (c) => {
  const [{ docsPage }, { DOCS_STYLE }] = await Promise.all([import('../docs-page.ts'), import('../docs-style.ts')])
  const { baseUrl, console: pages } = c.get('config')
  return c.html(await docsPage(baseUrl, pages), 200, {
    'Cache-Control': CACHING,
    'Content-Security-Policy': documentPolicy(DOCS_STYLE, { frameAncestors: "'none'" }),
    'Referrer-Policy': 'no-referrer',
  })
})
