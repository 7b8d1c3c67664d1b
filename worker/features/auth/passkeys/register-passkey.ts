import { generateRegistrationOptions, verifyRegistrationResponse } from '@simplewebauthn/server'
import { MAX_PASSKEYS } from '../../../../contract/limits.ts'
import type { Config } from '../../../platform/config/config.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { AppError } from '../../../platform/http/errors.ts'
import { CHALLENGE_LIFETIME, checkChallenge, makeChallenge } from '../challenge.ts'
import type { Caller } from '../find-caller.ts'
import { knownTransports, notVerified, parseAttestation } from './parse-credential.ts'
import { insertPasskeyStatements, type Passkey, selectPasskeys } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'

const purposeOf = (userId: string) => ({ use: 'passkey', text: `register ${userId}` }) as const

/** The options of `navigator.credentials.create()`, as JSON, for a passkey that a person unlocks. `now` in milliseconds. */
export async function registrationOptions(
  db: D1Database,
  { tokenKeys }: Pick<Config, 'tokenKeys'>,
  party: RelyingParty,
  { userId, email, firstName, lastName }: Caller,
  now: number,
) {
  const passkeys = await selectPasskeys(db, userId)
  if (passkeys.length >= MAX_PASSKEYS) throw tooManyPasskeys(passkeys.length)
  return await generateRegistrationOptions({
    rpID: party.id,
    rpName: 'Hookline',
    userID: Uint8Array.from(Buffer.from(userId)),
    userName: email,
    userDisplayName: `${firstName} ${lastName}`,
    challenge: Uint8Array.from(Buffer.from(await makeChallenge(tokenKeys, purposeOf(userId), now), 'base64url')),
    timeout: CHALLENGE_LIFETIME,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: passkeys.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: knownTransports(transports),
    })),
  })
}

/**
 * Takes the passkey that a browser made by {@link registrationOptions}. `now` in milliseconds.
 * @throws {AppError} 400 for an invalid passkey or one that answers no challenge of this account, 409 above {@link MAX_PASSKEYS}.
 */
export async function registerPasskey(
  db: D1Database,
  { tokenKeys }: Pick<Config, 'tokenKeys'>,
  party: RelyingParty,
  caller: Pick<Caller, 'userId' | 'tokenEpoch'>,
  given: { name: string; response: unknown },
  now: number,
): Promise<Omit<Passkey, 'lastUsedAt'>> {
  const { userId } = caller
  const response = parseAttestation(given.response, 'response')
  let answered: Awaited<ReturnType<typeof checkChallenge>>
  const verdict = await verifyRegistrationResponse({
    response,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    expectedChallenge: async (challenge) => {
      answered = await checkChallenge(tokenKeys, purposeOf(userId), challenge, now)
      return answered !== undefined
    },
  }).catch(notVerified)
  if (!verdict.verified || !answered) throw passkeyRefused()
  const { credential } = verdict.registrationInfo
  const passkey = {
    id: crypto.randomUUID(),
    userId,
    name: given.name,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: [...knownTransports(response.response.transports)],
    createdAt: now,
  }
  const guard = { most: MAX_PASSKEYS, epoch: caller.tokenEpoch }
  if (await batchIf(db, insertPasskeyStatements(db, passkey, answered, guard))) return passkey
  const passkeys = await selectPasskeys(db, userId)
  throw passkeys.length >= MAX_PASSKEYS ? tooManyPasskeys(passkeys.length) : passkeyRefused()
}

function passkeyRefused(): AppError {
  return new AppError(
    400,
    'passkey_refused',
    'This passkey is not a new one of this account, or the request was too late. Try again.',
  )
}

function tooManyPasskeys(used: number): AppError {
  const message = `An account may have ${MAX_PASSKEYS} passkeys; you have ${used}. Remove one first.`
  return new AppError(409, 'quota_exceeded', message, { details: { quota: 'passkeys', limit: MAX_PASSKEYS, used } })
}
