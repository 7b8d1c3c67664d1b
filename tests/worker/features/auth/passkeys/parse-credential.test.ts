import { describe, expect, it } from 'vitest'
import {
  knownTransports,
  parseAssertion,
  parseAttestation,
} from '../../../../../worker/features/auth/passkeys/parse-credential.ts'

const PARTS = { clientDataJSON: 'Y2Q', authenticatorData: 'YWQ', signature: 'c2ln' }
const GIVEN = { id: 'aWQ', type: 'public-key', response: PARTS }
const refused = expect.objectContaining({ status: 400, code: 'invalid_field' })

describe('what a browser answers with a passkey', () => {
  it.each([
    [{}, {}],
    [{ userHandle: null }, {}],
    [{ userHandle: 'dWg' }, { userHandle: 'dWg' }],
  ])('is read with whom it names, if anybody: %j', (given, named) => {
    const { response, ...rest } = parseAssertion({ ...GIVEN, response: { ...PARTS, ...given } }, 'passkey')
    expect(rest).toEqual({ id: 'aWQ', rawId: 'aWQ', type: 'public-key', clientExtensionResults: {} })
    expect(response).toStrictEqual({ ...PARTS, ...named })
  })

  it.each([
    undefined,
    'text',
    { ...GIVEN, type: 'password' },
    { ...GIVEN, type: undefined },
    { ...GIVEN, response: undefined },
    { ...GIVEN, response: 'text' },
    { ...GIVEN, id: undefined },
    { ...GIVEN, id: 7 },
    { ...GIVEN, id: '' },
    { ...GIVEN, id: 'a+b/' },
    { ...GIVEN, id: 'a'.repeat(6_001) },
    { ...GIVEN, response: { ...PARTS, signature: undefined } },
    { ...GIVEN, response: { ...PARTS, userHandle: 7 } },
  ])('is refused where a part is none: %j', (given) => {
    expect(() => parseAssertion(given, 'passkey')).toThrow(refused)
    expect(() => parseAttestation(given, 'response')).toThrow(refused)
  })

  it('has those of its transports that are known, and none where it has no list of them', () => {
    expect(knownTransports(['usb', 'carrier-pigeon', 7, 'internal'])).toEqual(['internal', 'usb'])
    expect([knownTransports('usb'), knownTransports(undefined)]).toEqual([[], []])
  })
})
