import { createExecutionContext } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { METHODS } from '../../../../worker/features/docs/openapi.ts'
import { openapiDocument, PATHS, TAGS } from '../../../../worker/features/docs/openapi-document.ts'
import { apiApp } from '../../../../worker/hosts/api-app.ts'
import worker from '../../../../worker/index.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'

/** Hono's patterns as OpenAPI writes them: `:id` and `:file{…}` are parameters, `*` is the rest of a path. */
function templateOf(path: string): string {
  const template = path.replace(/:(\w+)(\{[^/]*\})?/g, '{$1}').replace(/\/\*$/, '/{path}')
  return template === '/' ? template : template.replace(/\/$/, '')
}

const mounted = new Set(
  apiApp.routes
    .filter(({ method }) => method !== 'ALL')
    .flatMap(({ method, path }) => {
      const template = templateOf(path)
      // The handler of GET answers HEAD, and refuses GET or answers it in another way.
      if (template === '/v0/blob/{id}') return [`head ${template}`]
      const route = `${method.toLowerCase()} ${template}`
      return route === 'get /v0/upload/{id}' ? [route, `head ${template}`] : [route]
    }),
)
const described = new Set(
  Object.entries(PATHS).flatMap(([path, operations]) =>
    METHODS.filter((method) => operations[method]).map((method) => `${method} ${path}`),
  ),
)
const operations = Object.entries(PATHS).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
)

describe('the description of the API', () => {
  it('has every route that is mounted', () => {
    expect([...mounted].filter((route) => !described.has(route))).toEqual([])
  })

  it('has no route that is not mounted', () => {
    expect([...described].filter((route) => !mounted.has(route))).toEqual([])
  })

  it('says of every operation what it needs and answers', () => {
    const tags = TAGS.map(({ name }) => name as string)
    for (const { name, path, operation } of operations) {
      expect([name, tags.includes(operation.tags[0])]).toEqual([name, true])
      expect([name, Object.keys(operation.responses).length > 0]).toEqual([name, true])
      const named = operation.parameters
        ?.filter((parameter) => parameter.in === 'path')
        .map((parameter) => parameter.name)
      expect([name, named ?? []]).toEqual([name, [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)])
    }
  })

  it('names every field of an entry of the denylist', async () => {
    const { token } = await signIn('admin')
    const body = { kind: 'item', value: 'a'.repeat(24), reason: 'order 12/2026' }
    await fetchApi('PUT', '/v0/denied', { token, body })
    const { denied }: { denied: object[] } = await (await fetchApi('GET', '/v0/denied', { token })).json()
    const { DeniedEntry } = openapiDocument(new URL('https://api.example')).components.schemas
    expect(Object.keys(denied[0] ?? {}).sort()).toEqual(Object.keys(DeniedEntry?.properties ?? {}).sort())
    await fetchApi('DELETE', '/v0/denied', { token, body })
  })

  it('refers to schemas that are there', () => {
    const document = openapiDocument(new URL('https://api.example'))
    const references = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name]) => name ?? '',
    )
    expect(references.length).toBeGreaterThan(50)
    for (const name of references) expect(document.components.schemas).toHaveProperty(name)
  })

  it('tells of the token exactly where one is asked for', async () => {
    for (const { name, path, operation } of operations) {
      const [method = ''] = name.split(' ')
      if (!path.startsWith('/v0/')) continue
      const url = `https://api.example${path.replace('{blockchain}', 'Bitcoin').replace(/\{\w+\}/g, 'x')}`
      const response = await exports.default.fetch(url, { method: method.toUpperCase() })
      // HEAD has no body to say why.
      const asked = response.status === 401 && (method === 'head' || (await response.text()).includes('token_missing'))
      expect([name, asked]).toEqual([name, operation.security !== undefined])
    }
  })

  it('is served with the address of this service, to any page', async () => {
    const response = await exports.default.fetch('https://api.example/v0/openapi.json')
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(await response.json()).toMatchObject({ openapi: '3.1.1', servers: [{ url: 'https://api.example' }] })
  })
})

describe('the page of it', () => {
  it('shows every operation and loads nothing', async () => {
    const response = await exports.default.fetch('https://api.example/docs')
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=UTF-8')
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/)
    const page = await response.text()
    for (const { operation } of operations) expect(page).toContain(operation.summary.replaceAll("'", '&#39;'))
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|\[object|undefined/)
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target)
  })

  it('names the outbox and the faucet where the service runs on embedded chains, and nowhere else', async () => {
    const devnet = { outbox: 'http://127.0.0.1:18787/outbox', faucet: 'http://127.0.0.1:18787/faucet' }
    const settings = { ...env, CONSOLE_OUTBOX: devnet.outbox, CONSOLE_FAUCET: devnet.faucet }
    const asked = new Request('https://api.example/docs')
    const embedded = await (await worker.fetch(asked, settings, createExecutionContext())).text()
    const real = await (await exports.default.fetch(asked.url)).text()
    for (const address of Object.values(devnet)) expect(embedded).toContain(`href="${address}"`)
    expect(real).not.toMatch(/No mail leaves|worth nothing/)
  })

  it('shows 201 and 202 of a login as refusals', async () => {
    const page = await (await exports.default.fetch('https://api.example/docs')).text()
    const login = page.slice(page.indexOf('id="post-v0-token"'), page.indexOf('id="put-v0-token"'))
    for (const status of [201, 202]) expect(login).toMatch(new RegExp(`<code>${status}</code></th><td>Refused: [^<]+`))
  })
})
