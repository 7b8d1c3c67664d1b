import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { invalidField } from '../../../platform/http/errors.ts'
import { isRecord } from '../../../platform/http/is-record.ts'

const BASE64URL = /^[\w-]{1,6000}$/
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const
type Transport = (typeof TRANSPORTS)[number]

/** A browser's answer to a request for a passkey. @throws {AppError} 400. */
export function parseAssertion(value: unknown, field: string): AuthenticationResponseJSON {
  const { response, ...credential } = parseCredential(value, field)
  const { userHandle } = response
  return {
    ...credential,
    response: {
      clientDataJSON: encoded(response.clientDataJSON, field),
      authenticatorData: encoded(response.authenticatorData, field),
      signature: encoded(response.signature, field),
      ...(userHandle === undefined || userHandle === null ? {} : { userHandle: encoded(userHandle, field) }),
    },
  }
}

/** A browser's answer to the request for a new passkey. @throws {AppError} 400. */
export function parseAttestation(value: unknown, field: string): RegistrationResponseJSON {
  const { response, ...credential } = parseCredential(value, field)
  return {
    ...credential,
    response: {
      clientDataJSON: encoded(response.clientDataJSON, field),
      attestationObject: encoded(response.attestationObject, field),
      transports: knownTransports(response.transports),
    },
  }
}

/** What an answer is for which the library throws: it says by errors what is wrong. */
export function notVerified(error: unknown): { verified: false } {
  console.info('passkey_refused', error instanceof Error ? error.message : 'unknown')
  return { verified: false }
}

/** The known ones of a list; newer browsers may send others. */
export function knownTransports(value: unknown): Transport[] {
  return Array.isArray(value) ? TRANSPORTS.filter((transport) => value.includes(transport)) : []
}

function parseCredential(value: unknown, field: string) {
  if (!isRecord(value) || value.type !== 'public-key' || !isRecord(value.response)) {
    throw invalidField(field, 'must be the JSON form of a public-key credential (WebAuthn Level 3, 5.1.7).')
  }
  const id = encoded(value.id, field)
  return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {}, response: value.response }
}

function encoded(value: unknown, field: string): string {
  if (typeof value !== 'string' || !BASE64URL.test(value)) {
    throw invalidField(field, 'has a part that is missing, or is not base64url.')
  }
  return value
}
