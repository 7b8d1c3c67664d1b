import { api } from '../api/client.ts'

// The JSON forms of WebAuthn Level 3, which browsers of 2025 implement; older ones are not offered passkeys.

/** A passkey that the user chooses in a dialog of the browser. @throws if the dialog was closed */
export async function requestPasskey(): Promise<unknown> {
  return get(await requestOptions(), undefined, undefined)
}

/** Waits until a passkey is chosen in the name field; undefined if this browser does not support that. */
export async function passkeyInField(signal: AbortSignal): Promise<unknown> {
  const available: unknown =
    typeof PublicKeyCredential === 'function' && Reflect.get(PublicKeyCredential, 'isConditionalMediationAvailable')
  if (typeof available !== 'function' || !(await Reflect.apply(available, PublicKeyCredential, []))) return undefined
  return get(await requestOptions(), 'conditional', signal)
}

/** A new passkey of this device. @throws if the dialog was closed */
export async function makePasskey(): Promise<Record<string, unknown>> {
  const options: unknown = await api.POST('/v0/user/passkeys/options')
  const publicKey = parse('parseCreationOptionsFromJSON', options)
  return toJson(await navigator.credentials.create({ publicKey }))
}

async function requestOptions(): Promise<unknown> {
  return api.POST('/v0/token/passkey')
}

async function get(options: unknown, mediation: 'conditional' | undefined, signal: AbortSignal | undefined) {
  const publicKey = parse('parseRequestOptionsFromJSON', options)
  return toJson(
    await navigator.credentials.get({ publicKey, ...(mediation && { mediation }), ...(signal && { signal }) }),
  )
}

function parse(method: 'parseRequestOptionsFromJSON', options: unknown): PublicKeyCredentialRequestOptions
function parse(method: 'parseCreationOptionsFromJSON', options: unknown): PublicKeyCredentialCreationOptions
function parse(method: string, options: unknown) {
  const read: unknown = Reflect.get(PublicKeyCredential, method)
  if (typeof read !== 'function') throw new TypeError('this browser has no passkeys')
  return Reflect.apply(read, PublicKeyCredential, [options])
}

function toJson(credential: Credential | null): Record<string, unknown> {
  const write: unknown = credential && Reflect.get(credential, 'toJSON')
  if (typeof write !== 'function') throw new TypeError('no passkey was chosen')
  const json: unknown = Reflect.apply(write, credential, [])
  if (typeof json !== 'object' || json === null) throw new TypeError('the passkey has no JSON form')
  return { ...json }
}
