import { createHash } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'
import type { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import { canonicalCid, parseCid } from '../../../protocol/cid.ts'

/**
 * The parsed form of a line of a compact denylist (IPIP-383). A key is the first 8 bytes of a SHA-256; its form says what is
 * hashed (see {@link legacyKey}, {@link hashedKey}, {@link deniedCidKey}, {@link nameKey}).
 */
export type DenylistLine =
  | { kind: 'deny' | 'allow'; key: bigint; form: KeyForm }
  /** A comment, part of the header, or an empty line. */
  | 'nothing'
  /** A rule that cannot be used: a pattern of paths, another hash, or no rule at all. */
  | 'skipped'

/** `plain` keys are those that cost a question least. */
export type KeyForm = 'plain' | 'legacy' | 'hashed'

const SHA2_256 = 0x12

/** One parsed line; `hints` after a rule are ignored. */
export function parseDenylistLine(text: string): DenylistLine {
  const line = text.trim()
  const allow = line.startsWith('+') || line.startsWith('!')
  const rule = (allow ? line.slice(1) : line).split(/\s/, 1)[0] ?? ''
  if (!rule.startsWith('/')) return 'nothing'
  const found = rule.startsWith('//') ? parseHashed(rule.slice(2)) : parsePlain(rule)
  return found ? { kind: allow ? 'allow' : 'deny', ...found } : 'skipped'
}

type Key = { key: bigint; form: KeyForm } | undefined

function parseHashed(text: string): Key {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return { key: BigInt(`0x${text.slice(0, 16)}`), form: 'legacy' }
  try {
    const { code, digest } = decode(base58btc.decode(`z${text}`))
    return code === SHA2_256 && digest.length === 32 ? { key: firstNumber(digest), form: 'hashed' } : undefined
  } catch {
    return undefined
  }
}

function parsePlain(rule: string): Key {
  const [, namespace, root = '', rest = ''] = /^\/(ip[fn]s)\/([^/]+)(\/.*)?$/.exec(rule) ?? []
  const whole = rest === '' || rest === '/' || rest === '/*'
  if (namespace === 'ipns') return whole ? { key: nameKey(root.toLowerCase()), form: 'plain' } : undefined
  const cid = namespace === 'ipfs' ? parseCid(root) : undefined
  if (!cid) return undefined
  if (whole) return { key: deniedCidKey(cid), form: 'plain' }
  if (rest.includes('*')) return undefined
  try {
    return { key: hashedKey(cid, decodeURIComponent(rest.slice(1))), form: 'hashed' }
  } catch {
    return undefined
  }
}

/** Of a CID, in every codec and spelling. */
export function deniedCidKey({ multihash }: CID): bigint {
  return firstNumber(sha256(multihash.bytes))
}

/** Of a name, as it is written canonically under `/ipns/`. */
export function nameKey(name: string): bigint {
  return firstNumber(sha256(`/ipns/${name}`))
}

/** Of a CID in its own codec and a path below it, the empty one included (IPIP-383, "legacy double-hash"). */
export function legacyKey(cid: CID, path: string): bigint {
  return firstNumber(sha256(`${canonicalCid(cid)}/${path}`))
}

/** Of a multihash and a path below it, where there is one (IPIP-383, "double hash"). */
export function hashedKey(cid: CID, path = ''): bigint {
  return firstNumber(doubleHash(cid, path))
}

/** The whole of it, which a list says. */
export function doubleHash(cid: CID, path = ''): Uint8Array {
  const hash = base58btc.baseEncode(cid.multihash.bytes)
  return sha256(path === '' ? hash : `${hash}/${path}`)
}

function sha256(data: string | Uint8Array): Uint8Array {
  return createHash('sha256').update(data).digest()
}

function firstNumber(digest: Uint8Array): bigint {
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0)
}
