import { readerOf } from '../answers/read-answer.ts'
import { type List, listOf } from '../http/pages.ts'
import { pathTo } from '../http/path-to.ts'
import type { Transport } from '../http/transport.ts'
import type { Domain, Site, SiteProblems, SiteVersion } from '../types.ts'
import type { CallOptions, KeyedOptions } from './call-options.ts'

const readDomain = readerOf('Domain')
const readSite = readerOf('Site')
const readSiteVersion = readerOf('SiteVersion')

/** Sites: names that show one item, and after the next deployment another one. */
export function sitesOf(transport: Transport) {
  return {
    /**
     * Creates a site, with `item` as its first version: shown at once, or with `current` once it is stored.
     * @throws {ApiError} 409 if a quota is full, 404
     */
    async create(
      site: { name: string; item?: string | undefined; current?: 'when_stored' | undefined },
      { signal, idempotencyKey }: KeyedOptions = {},
    ): Promise<Site> {
      const call = { method: 'POST', path: '/v0/site', json: site, idempotencyKey, signal } as const
      return readSite((await transport.send(call)).body)
    },

    /** All sites, or those with exactly this name. */
    list: ({ name, signal }: CallOptions & { name?: string } = {}): List<Site> =>
      listOf(transport, () => ({ path: '/v0/site', query: { name }, signal }), 'sites', readSite),

    /** Faults in the text of a `_headers` and of a `_redirects`, before they are uploaded. */
    async problems(
      files: { headers?: string | undefined; redirects?: string | undefined },
      { signal }: CallOptions = {},
    ): Promise<SiteProblems> {
      const call = { method: 'POST', path: '/v0/site/problems', json: files, repeatable: true, signal } as const
      return readerOf('SiteProblems')((await transport.send(call)).body)
    },

    /** One site. @throws {ApiError} 404 */
    async get(id: string, { signal }: CallOptions = {}): Promise<Site> {
      return readSite((await transport.send({ method: 'GET', path: pathTo`/v0/site/${id}`, signal })).body)
    },

    /** Renames it; its host stays. */
    async rename(id: string, name: string, { signal }: CallOptions = {}): Promise<Site> {
      const call = { method: 'PATCH', path: pathTo`/v0/site/${id}`, json: { name }, repeatable: true, signal } as const
      return readSite((await transport.send(call)).body)
    },

    /**
     * Gives it a readable address, `<address>.<storage host>`, in place of the one that it has.
     * @throws {ApiError} 400 `address_reserved`, `address_misleading`; 409 `address_taken`, `site_unpaid`, `quota_exceeded`
     */
    async setAddress(id: string, address: string, { signal }: CallOptions = {}): Promise<Site> {
      const path = pathTo`/v0/site/${id}/address`
      return readSite((await transport.send({ method: 'PUT', path, json: { address }, repeatable: true, signal })).body)
    },

    /** Ends its readable address, which stays the account's; its own host stays. */
    async endAddress(id: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'DELETE', path: pathTo`/v0/site/${id}/address`, signal })
    },

    /** Withdraws an address of any account for ever; for moderators. @throws {ApiError} 403, 404 */
    async withdrawAddress(address: string, reason: string, { signal }: CallOptions = {}): Promise<void> {
      const path = pathTo`/v0/address/${address}/withdraw`
      await transport.send({ method: 'POST', path, json: { reason }, repeatable: true, signal })
    },

    /** Deletes a site with its versions and domains; the stored items stay. */
    async delete(id: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'DELETE', path: pathTo`/v0/site/${id}`, signal })
    },

    /** The versions of a site, newest first; sizes in bytes, times in Unix seconds. */
    versions: (id: string, { signal }: CallOptions = {}): List<SiteVersion> =>
      listOf(transport, () => ({ path: pathTo`/v0/site/${id}/versions`, signal }), 'versions', readSiteVersion),

    /** Adds an item to the versions of a site: a stored one, or with `current` one that is shown once it is stored. */
    async addVersion(
      id: string,
      version: { item: string; note?: string | undefined; current?: 'when_stored' | undefined },
      { signal, idempotencyKey }: KeyedOptions = {},
    ): Promise<SiteVersion> {
      const path = pathTo`/v0/site/${id}/versions`
      return readSiteVersion(
        (await transport.send({ method: 'POST', path, json: version, idempotencyKey, signal })).body,
      )
    },

    /**
     * Makes a version the current one.
     * @throws {ApiError} `site_fails` if the site would then answer with an error, unless `confirm` accepts that
     */
    async setCurrent(
      id: string,
      version: number,
      { signal, confirm }: CallOptions & { confirm?: boolean } = {},
    ): Promise<void> {
      await transport.send({
        method: 'PUT',
        path: pathTo`/v0/site/${id}/current`,
        json: { version, ...(confirm === undefined ? {} : { confirm }) },
        repeatable: true,
        signal,
      })
    },
  }
}

/** Custom domains of the caller. */
export function domainsOf(transport: Transport) {
  return {
    /**
     * Claims a domain. Without proof in DNS it fails with 409; with `wait` it is stored as `waiting` and checked for a
     * day.
     */
    async create(
      domain: { host: string; site?: string | undefined; item?: string | undefined; wait?: boolean | undefined },
      { signal }: CallOptions = {},
    ): Promise<Domain> {
      return readDomain((await transport.send({ method: 'POST', path: '/v0/domain', json: domain, signal })).body)
    },

    /** The caller's domains, or those of one site. */
    list: ({ site, signal }: CallOptions & { site?: string } = {}): List<Domain> =>
      listOf(transport, () => ({ path: '/v0/domain', query: { site }, signal }), 'domains', readDomain),

    /** One domain. @throws {ApiError} 404 */
    async get(host: string, { signal }: CallOptions = {}): Promise<Domain> {
      return readDomain((await transport.send({ method: 'GET', path: pathTo`/v0/domain/${host}`, signal })).body)
    },

    /**
     * Releases a domain.
     * @throws {ApiError} 404
     */
    async delete(host: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'DELETE', path: pathTo`/v0/domain/${host}`, signal })
    },

    /**
     * Checks whether a claim would be refused regardless of DNS; nothing is claimed.
     * @throws {ApiError} `domain_taken`, `quota_exceeded`, `domains_off`; 400 for a host that cannot be claimed
     */
    async checkClaim(host: string, { signal }: CallOptions = {}): Promise<void> {
      await transport.send({ method: 'GET', path: pathTo`/v0/domain/${host}/claim`, signal })
    },

    /** Checks the record, its target, other addresses, CAA, the certificate and which server answers: `steps`. */
    async check(host: string, { signal }: CallOptions = {}): Promise<Domain> {
      const call = { method: 'POST', path: pathTo`/v0/domain/${host}/check`, repeatable: true, signal } as const
      return readDomain((await transport.send(call)).body)
    },
  }
}
