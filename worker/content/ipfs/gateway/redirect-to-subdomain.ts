import { base32 } from 'multiformats/bases/base32'
import { parseCid } from '../../../../protocol/cid.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { inlineDomain, MAX_LABEL, parseIpnsName } from '../names/ipns-name.ts'

/**
 * Where a content path has an origin of its own (Subdomain Gateway specification, "Migrating from Path to
 * Subdomain Gateway"). Only the root is checked; path and query go along as they are.
 * @throws {AppError} 400 for an invalid root, or one that is too long for DNS.
 */
export function subdomainLocation(url: URL, storageHost: string): string {
  const [, namespace, text = '', rest = ''] = /^\/(ipfs|ipns)\/([^/]*)(.*)$/.exec(url.pathname) ?? []
  const label = namespace === 'ipns' ? nameLabel(text) : parseCid(text)?.toV1().toString(base32)
  if (label === undefined) {
    throw new AppError(400, 'invalid_path', `invalid path "${url.pathname}": "${text}" is no root of content.`)
  }
  checkLabel(label)
  return `${url.protocol}//${label}.${namespace}.${storageHost}${rest === '' ? '/' : rest}${url.search}`
}

function nameLabel(text: string): string | undefined {
  const name = parseIpnsName(text)
  return name?.kind === 'domain' ? inlineDomain(name.domain) : name?.text
}

/** @throws {AppError} 400 if the label is too long for DNS. */
export function checkLabel(label: string): void {
  if (label.length <= MAX_LABEL) return
  const message = `CID incompatible with DNS label length limit of ${MAX_LABEL}: ${label}`
  throw new AppError(400, 'label_too_long', message)
}

/**
 * Where `/ipfs/?uri=ipfs://…` leads: the content path of a native address, as a browser's protocol handler asks for
 * it (Subdomain Gateway specification, "URI router").
 * @throws {AppError} 400 for what is no such address.
 */
export function uriLocation(uri: string): string {
  const [, namespace, root = '', rest = ''] = /^(ipfs|ipns):\/\/([^/?#\s]+)(.*)$/.exec(uri) ?? []
  // The text is somebody else's: only what a path may hold goes into the header, and no browser may read it as another place.
  if (namespace && root.isWellFormed() && rest.isWellFormed() && /^[\x21-\x7e]*$/.test(encodeURI(root + rest))) {
    const place = `/${namespace}/${encodePercentOnce(root)}`
    const path = place + encodePercentOnce(rest)
    if (isBelow(path, place, namespace)) return path
  }
  throw new AppError(400, 'invalid_uri', 'uri must be an address such as ipfs://<cid>/path or ipns://<name>/path.')
}

/** Whether a path, as browsers resolve it (WHATWG URL, dot segments), is that of a root in its namespace, or below it. */
function isBelow(path: string, root: string, namespace: string): boolean {
  const [resolved, place] = [path, root].map((text) => new URL(text, 'http://host').pathname)
  if (!resolved || !place?.startsWith(`/${namespace}/`) || place === `/${namespace}/`) return false
  return resolved === place || resolved.startsWith(`${place}/`)
}

function encodePercentOnce(text: string): string {
  return encodeURI(text).replaceAll('%25', '%')
}
