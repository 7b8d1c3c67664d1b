import { importFiles, ipfsServer, TestBlocks } from '../reader/ipfs-server.ts'
import { type ApiServer, answerBy } from './api-server.ts'

/** The sites of a service: one site, its versions, its host, which answers on the port of the API. */
export interface SiteServer {
  versions: {
    number: number
    item: string
    current?: string | null
    periods?: { from: number; until: number | null; by: string }[]
  }[]
  current: number
  /** Whether the site, named `site`, is there already. */
  made: boolean
  /** Other sites of the account. */
  others: Record<string, unknown>[]
  /** What a visitor of the host gets at `/`. */
  answer: (current: { item: string } | undefined) => {
    status?: number
    text?: string
    headers?: Record<string, string>
  }
  /** The readable address of the site. */
  address: string | null
  domain: { host: string; status: string; record?: string } | undefined
  /** What a stored directory holds, by path. */
  files: Record<string, string>
}

export const SITE = 'abcdefabcdefabcdefabcdef'

/** Adds sites to an API. Items that are paid are stored at once. */
export function serveSites(api: ApiServer): SiteServer {
  const host = `${SITE}.storage.localhost:${new URL(api.url).port}`
  const json = {
    ...{
      id: SITE,
      name: 'site',
      host,
      url: `http://${host}/`,
      version: null,
      item: null,
      versions: 0,
      waiting: null,
      createdAt: 1,
    },
  }
  const named = () => {
    const { address } = server
    return { address, addressUrl: address && `http://${address}.storage.localhost/` }
  }
  const shown = () => ({ ...json, ...named(), version: server.current || null, versions: server.versions.length })
  const version = ({ number, item, current = null, periods = [] }: SiteServer['versions'][number]) => ({
    ...{ number, item, periods, name: 'site', note: null, blockchain: 'IPFS', size: 10, url: `http://v.${host}/` },
    ...{ status: '200 OK', current, createdAt: 1 },
  })
  const server: SiteServer = {
    versions: [],
    current: 0,
    made: true,
    others: [],
    answer: () => ({ text: '<h1>Site</h1>' }),
    address: null,
    domain: undefined,
    files: { 'index.html': '<h1>Site</h1>' },
  }
  const blocks = new TestBlocks()
  const imported = () =>
    importFiles(
      blocks,
      Object.entries(server.files).map(([path, text]) => ({ path, content: Buffer.from(text) })),
    )
  api.fake.before = ({ method, path }) => {
    if (method !== 'GET' || !path.startsWith('/v0/item/')) return undefined
    for (const item of api.fake.items.values()) if (item.status === '202 Accepted') item.status = '200 OK'
    return undefined
  }
  api.routes.push(
    [
      'POST',
      /^\/v0\/site$/,
      ({ body }) => {
        json.name = JSON.parse(body).name
        server.made = true
        return { status: 201, json }
      },
    ],
    [
      'GET',
      /^\/v0\/site(\?|$)/,
      ({ path }) => {
        const name = new URL(path, api.url).searchParams.get('name')
        const all = [...server.others, ...(server.made ? [shown()] : [])]
        return { json: { sites: all.filter((site) => name === null || Reflect.get(site, 'name') === name) } }
      },
    ],
    [
      'GET',
      /^\/v0\/site\/[0-9a-f]+$/,
      ({ path }) =>
        path.endsWith(SITE)
          ? { json: shown() }
          : { status: 404, json: { code: 'not_found', message: 'You have no such site.' } },
    ],
    ['DELETE', /^\/v0\/site\/[0-9a-f]+$/, () => ({ status: 204 })],
    ['GET', /^\/v0\/site\/[0-9a-f]+\/versions/, () => ({ json: { versions: server.versions.map(version) } })],
    [
      'POST',
      /^\/v0\/site\/[0-9a-f]+\/versions$/,
      ({ body }) => {
        const { item, current = null } = JSON.parse(body)
        const added = { number: server.versions.length + 1, item: String(item), current }
        server.versions.unshift(added)
        return { status: 201, json: version(added) }
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
      'PUT',
      /^\/v0\/site\/[0-9a-f]+\/address$/,
      ({ body }) => {
        const { address } = JSON.parse(body)
        if (address === 'www') return { status: 400, json: { code: 'address_reserved', message: 'It is reserved.' } }
        server.address = address
        return { json: shown() }
      },
    ],
    [
      'DELETE',
      /^\/v0\/site\/[0-9a-f]+\/address$/,
      () => {
        server.address = null
        return { status: 204 }
      },
    ],
    ['POST', /^\/v0\/address\/[^/]+\/withdraw$/, () => ({ status: 204 })],
    ['GET', /^\/v0\/domain\/[^/]+\/claim$/, () => ({ status: 204 })],
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
    [
      'GET',
      /^\/v0\/item\/[0-9a-f]{24}\/source$/,
      async () => ({
        json: {
          ...{ blockchain: 'IPFS', name: 'site', mimetype: 'inode/directory', size: 10, txids: null },
          cid: String(await imported()),
        },
      }),
    ],
    ['GET', /^\/ipfs\//, answerBy(ipfsServer(blocks).fetch)],
    ['GET', /^\/$/, () => server.answer(server.versions.find(({ number }) => number === server.current))],
  )
  return server
}
