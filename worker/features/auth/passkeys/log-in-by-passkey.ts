import { generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server'
import type { Config } from '../../../platform/config/config.ts'
import { batchIf } from '../../../platform/d1/guarded-batch.ts'
import { CHALLENGE_LIFETIME, checkChallenge, makeChallenge } from '../challenge.ts'
import { type LoginOutcome, openSession } from '../log-in.ts'
import type { SignInOrigin } from '../sign-in-origin.ts'
import { selectUser } from '../sql/users.ts'
import { knownTransports, notVerified, parseAssertion } from './parse-credential.ts'
import { selectPasskeyByCredential, usePasskeyStatements } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'

const PURPOSE = { use: 'passkey', text: 'log in' } as const

/** The options of `navigator.credentials.get()`, as JSON: any passkey of this service. `now` in milliseconds. */
export async function loginOptions({ tokenKeys }: Pick<Config, 'tokenKeys'>, party: RelyingParty, now: number) {
  return await generateAuthenticationOptions({
    rpID: party.id,
    challenge: Uint8Array.from(Buffer.from(await makeChallenge(tokenKeys, PURPOSE, now), 'base64url')),
    timeout: CHALLENGE_LIFETIME,
    userVerification: 'required',
  })
}

/**
 * Logs in by what a browser answered to {@link loginOptions}; each challenge is good once. `now` in milliseconds.
 * @throws {AppError} 400 for what is no credential.
 */
export async function logInByPasskey(
  db: D1Database,
  config: Config,
  party: RelyingParty,
  given: unknown,
  place: SignInOrigin,
  now: number,
): Promise<LoginOutcome> {
  const wrong = { kind: 'passkey_invalid' } as const
  const response = parseAssertion(given, 'passkey')
  const passkey = await selectPasskeyByCredential(db, response.id)
  const user = passkey && (await selectUser(db, passkey.userId))
  if (!user) return wrong
  let answered: Awaited<ReturnType<typeof checkChallenge>>
  const verdict = await verifyAuthenticationResponse({
    response,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    expectedChallenge: async (challenge) => {
      answered = await checkChallenge(config.tokenKeys, PURPOSE, challenge, now)
      return answered !== undefined
    },
    credential: {
      id: passkey.credentialId,
      publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
      transports: knownTransports(passkey.transports),
    },
  }).catch(notVerified)
  if (!verdict.verified || !answered) return wrong
  const { newCounter } = verdict.authenticationInfo
  if (!(await batchIf(db, usePasskeyStatements(db, passkey, answered, newCounter, now)))) return wrong
  return await openSession(db, config, user, place, now)
}
