import type { ApiServer } from './api-server.ts'

/** The sites of a service: one site, its versions, its host, which answers on the port of the API. */
export interface SiteServer {
  versions: { number: number; item: string }[]
  current: number
  /** What a visitor of the host gets at `/`. */
  answer: (current: { item: string } | undefined) => {
    status?: number
    text?: string
    headers?: Record<string, string>
  }
  domain: { host: string; status: string; record?: string } | undefined
}

const SITE = 'abcdefabcdefabcdefabcdef'

/** Adds sites to an API. Items that are paid are stored at once. */
export function serveSites(api: ApiServer): SiteServer {
  const host = `${SITE}.storage.localhost:${new URL(api.url).port}`
  const json = { id: SITE, name: 'site', host, url: `http://${host}/` }
  const server: SiteServer = { versions: [], current: 0, answer: () => ({ text: '<h1>Site</h1>' }), domain: undefined }
  api.fake.before = ({ method, path }) => {
    if (method !== 'GET' || !path.startsWith('/v0/item/')) return undefined
    for (const item of api.fake.items.values()) if (item.status === '202 Accepted') item.status = '200 OK'
    return undefined
  }
  api.routes.push(
    ['POST', /^\/v0\/site$/, () => ({ status: 201, json })],
    ['GET', /^\/v0\/site\/[0-9a-f]+$/, () => ({ json })],
    ['GET', /^\/v0\/site\/[0-9a-f]+\/versions/, () => ({ json: { versions: server.versions } })],
    [
      'POST',
      /^\/v0\/site\/[0-9a-f]+\/versions$/,
      ({ body }) => {
        const version = { number: server.versions.length + 1, item: String(JSON.parse(body).item) }
        server.versions.unshift(version)
        return { status: 201, json: version }
      },
    ],
    [
      'PUT',
      /^\/v0\/site\/[0-9a-f]+\/current$/,
      ({ body }) => {
        server.current = JSON.parse(body).version
        return { json }
      },
    ],
    [
      'GET',
      /^\/v0\/domain\//,
      () =>
        server.domain
          ? { json: { ...server.domain, site: SITE } }
          : { status: 404, json: { code: 'not_found', message: 'No.' } },
    ],
    [
      'POST',
      /^\/v0\/domain$/,
      ({ body }) => {
        server.domain ??= { host: JSON.parse(body).host, status: 'waiting', record: `CNAME ${SITE}.storage.example` }
        return { status: server.domain.status === 'active' ? 201 : 202, json: { ...server.domain, site: SITE } }
      },
    ],
    ['GET', /^\/$/, () => server.answer(server.versions.find(({ number }) => number === server.current))],
  )
  return server
}
