import { METADATA_KEYS } from '../../../../contract/item.ts'
import { TUS_VERSION } from '../../../../contract/tus.ts'
import { AppError, invalidField } from '../../../platform/http/errors.ts'

/** Characters of `Upload-Metadata`. */
const MAX_METADATA = 8192

type HeaderOf = (name: string) => string | undefined

/** @throws {AppError} 412 where the client speaks another version (tus, Tus-Resumable). */
export function requireTusVersion(header: string | undefined): void {
  if (header === TUS_VERSION) return
  throw new AppError(412, 'tus_version', `Send "Tus-Resumable: ${TUS_VERSION}": the version spoken here.`, {
    headers: { 'Tus-Version': TUS_VERSION },
  })
}

/** @throws {AppError} 400 for what belongs to extensions of tus that are not offered here. */
export function refuseExtensions(header: HeaderOf): void {
  for (const name of ['Upload-Defer-Length', 'Upload-Concat', 'Upload-Checksum']) {
    if (header(name) === undefined) continue
    throw invalidField(name, 'belongs to an extension that is not offered. OPTIONS lists those that are.')
  }
}

/** A number of bytes in a header. @throws {AppError} 400 naming the header. */
export function parseByteCount(value: string | undefined, name: string): number {
  const count = /^(0|[1-9]\d{0,15})$/.test(value ?? '') ? Number(value) : Number.NaN
  if (Number.isSafeInteger(count)) return count
  throw invalidField(name, 'must be a whole number of bytes.')
}

/** @throws {AppError} 415 unless the body is sent as tus wants it. */
export function requireOffsetType(contentType: string | undefined): void {
  if (contentType?.split(';')[0]?.trim().toLowerCase() === 'application/offset+octet-stream') return
  throw new AppError(415, 'unsupported_media_type', 'Send the bytes as application/offset+octet-stream.')
}

/** `Upload-Metadata`: pairs of a key and, in base 64, a value, which may be missing. @throws {AppError} 400. */
export function parseMetadata(header: string | undefined): Map<string, string> {
  const pairs = new Map<string, string>()
  if (header === undefined || header.trim() === '') return pairs
  if (header.length > MAX_METADATA) throw invalidField('Upload-Metadata', `has more than ${MAX_METADATA} characters.`)
  for (const pair of header.split(',')) {
    const [key = '', value = '', ...more] = pair.trim().split(' ')
    if (key === '' || more.length > 0 || pairs.has(key)) {
      throw invalidField('Upload-Metadata', 'must be keys, each once, with a space and a value, joined by commas.')
    }
    pairs.set(key, decodeValue(key, value))
  }
  return pairs
}

function decodeValue(key: string, value: string): string {
  try {
    const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalidField('Upload-Metadata', `has a value of ${JSON.stringify(key)} that is no UTF-8 in base 64.`)
  }
}

/** What is uploaded. @throws {AppError} 400 for an unknown kind, or for a field that a CAR can't have. */
export function kindOf(metadata: ReadonlyMap<string, string>): 'file' | 'car' {
  const kind = metadata.get('kind') ?? 'file'
  if (kind !== 'file' && kind !== 'car') throw invalidField('kind', 'must be file or car.')
  if (kind === 'file') return kind
  const blockchain = metadata.get('blockchain') ?? 'IPFS'
  if (blockchain !== 'IPFS') throw invalidField('blockchain', 'must be IPFS for a CAR, or left out.')
  if (metadata.get('folder')) throw invalidField('folder', 'must be left out: a CAR lies in no folder.')
  return kind
}

/** What a new upload is, as the body of `POST /v0/item`: its media type may be unknown. A CAR needs no more than its kind. */
export function newItemOf(metadata: ReadonlyMap<string, string>, size: number): Record<string, unknown> {
  const given = Object.entries(METADATA_KEYS).flatMap(([field, key]) => {
    const value = metadata.get(key)
    return value ? [[field, value] as const] : []
  })
  const car = metadata.get('kind') === 'car' ? { name: 'import.car', blockchain: 'IPFS' } : {}
  return { mimetype: 'application/octet-stream', ...car, ...Object.fromEntries(given), size }
}
