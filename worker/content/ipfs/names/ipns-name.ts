import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { CODEC, parseCid } from '../../../../protocol/cid.ts'

/** A name under `/ipns/`: the hash of a key, or a domain with DNSLink. */
export type IpnsName = { kind: 'key'; key: CID; text: string } | { kind: 'domain'; domain: string; text: string }

const IDENTITY = 0x00
const SHA2_256 = 0x12

/**
 * Reads a name in any spelling (IPNS specification, "IPNS Name"): a libp2p-key CID, a peer id in base58, a CID
 * whose codec is wrong but whose hash is a key's, or a domain name. `text` is the one spelling that is canonical.
 */
export function parseIpnsName(text: string): IpnsName | undefined {
  const key = parseKey(text)
  if (key) return { kind: 'key', key, text: key.toString(base36) }
  const domain = text.toLowerCase().replace(/\.$/, '')
  return isDomain(domain) ? { kind: 'domain', domain, text: domain } : undefined
}

function parseKey(text: string): CID | undefined {
  // Domains hold dots and CIDs never do; most labels of domains would not parse as one either.
  if (text.includes('.')) return undefined
  const hash = parseCid(text)?.multihash ?? parsePeerId(text)
  if (!hash || (hash.code !== IDENTITY && hash.code !== SHA2_256)) return undefined
  return CID.createV1(CODEC.libp2pKey, hash)
}

function parsePeerId(text: string) {
  if (!/^(?:12D3Koo|16Uiu2H|Qm)/.test(text)) return undefined
  try {
    return Digest.decode(base58btc.decode(`z${text}`))
  } catch {
    return undefined
  }
}

function isDomain(text: string): boolean {
  return (
    text.length <= 253 &&
    text.includes('.') &&
    text.split('.').every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)) &&
    !/^\d+$/.test(text.slice(text.lastIndexOf('.') + 1))
  )
}

/** The longest label of DNS (RFC 2181, section 11). */
export const MAX_LABEL = 63

/** A domain as one DNS label (Subdomain Gateway specification, `Host`), so that one wildcard certificate covers it. */
export function inlineDomain(domain: string): string {
  return domain.replaceAll('-', '--').replaceAll('.', '-')
}

/** Returns the domain that {@link inlineDomain} wrote as one label. */
export function domainOfInlinedLabel(label: string): string {
  return label.replace(/--|-/g, (dashes) => (dashes === '--' ? '-' : '.'))
}
