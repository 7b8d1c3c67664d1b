import { invalidField } from '../../platform/http/errors.ts'

/**
 * The SHA-256 of `Content-Digest` (RFC 9530) in base64: the last one, where there are several (RFC 9651, section 3.2). Other
 * algorithms of the list are not checked, as the RFC allows. @throws {AppError} 400 for a member that is not a SHA-256.
 */
export function parseContentDigest(header: string | undefined): string | undefined {
  const member = header
    ?.split(',')
    .map((part) => part.trim())
    .findLast((part) => /^sha-256(?![\w-])/i.test(part))
  if (member === undefined) return undefined
  const [, digest] = /^sha-256=:([A-Za-z0-9+/]{43}=):$/.exec(member) ?? []
  if (digest === undefined) throw invalidField('Content-Digest', 'must look like sha-256=:<base64 of 32 bytes>:')
  return digest
}
