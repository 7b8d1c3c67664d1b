import { concatBytes } from '../../protocol/bytes.ts'
import type { Content } from '../content.ts'
import type { PartTools } from '../part-tools.ts'

/** The origin that shows one site for the pages of one origin. */
export interface FrameHost {
  /** What it lies below, with the port where there is one. */
  storage: string
  origin: string
}

/** Many times the size of /hook.json. */
const MAX_BYTES = 1 << 16
/** In ms: an API host that is slower holds nothing up. A browser that has asked within 30 days has its answer. */
const HOST_TIMEOUT = 5000
/** What `data-frames` says where no site is to have a host. */
const NONE = 'none'

/**
 * The host on which a page of this origin shows the content, by its root: what it keeps there is apart from that of other pages and
 * other sites. Undefined where there is none, or where it could not have a worker.
 */
export async function findHost(
  tools: PartTools,
  { bytes, site }: Content,
  allowed: readonly string[],
): Promise<FrameHost | undefined> {
  // A worker needs a secure page all the way up; and a page without an origin shares its own with all of them.
  if (!isSecureContext || location.origin === 'null' || !('serviceWorker' in navigator)) return undefined
  const storage = tools.dataset.frames?.trim() || (await hostOf(tools))
  if (!storage || storage === NONE || !/^[a-z0-9.-]+(:\d+)?$/.test(storage)) return undefined
  const name = storage.replace(/:\d+$/, '')
  // Its cookies would be those of the site.
  if (location.hostname === name || location.hostname.endsWith(`.${name}`)) return undefined
  const root = site?.root ?? (await rawCid(tools, bytes))
  const scope = [location.origin, root, ...allowed.filter((name) => name !== '').sort()].join('\n')
  const label = base32(await tools.sha256(new TextEncoder().encode(scope)))
  return { storage, origin: `${new URL(tools.base).protocol}//${label}.${storage}` }
}

/** The storage host that the API host names; undefined where it does not answer. */
async function hostOf({ base, download }: PartTools): Promise<string | undefined> {
  const url = `${base}/hook.json`
  try {
    const body = concatBytes(await download(url, { limit: MAX_BYTES, signal: AbortSignal.timeout(HOST_TIMEOUT) }))
    const told: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof told === 'object' && told && 'frames' in told && typeof told.frames === 'string'
      ? told.frames
      : undefined
  } catch {
    return undefined
  }
}

/** The CID of bytes that are one block (raw, SHA-256). */
async function rawCid({ sha256 }: PartTools, bytes: Uint8Array): Promise<string> {
  return `b${base32(Uint8Array.from([1, 0x55, 0x12, 0x20, ...(await sha256(bytes))]))}`
}

/** RFC 4648, 6, in lower case, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value & 0xff) << 8) | byte
    bits += 8
    for (; bits >= 5; bits -= 5) text += ALPHABET[(value >> (bits - 5)) & 31]
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
