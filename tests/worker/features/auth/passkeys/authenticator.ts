import crypto from 'node:crypto'

const sha256 = (data: string | Uint8Array) => crypto.createHash('sha256').update(data).digest()
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** What a test may have the authenticator, or the browser, do otherwise than it should. */
export interface Deviation {
  origin?: string
  party?: string
  /** Bits of WebAuthn Level 3, 6.1: 1 present, 4 verified. */
  flags?: number
  type?: string
  counter?: number
}

/** An authenticator with one ES256 key, and the browser in front of it, as WebAuthn Level 3 describes them. */
export class Authenticator {
  readonly #keys = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly id = crypto.randomBytes(32)
  #counter = 0

  /** `navigator.credentials.create()` (6.5.4, attestation `none`). */
  create(challenge: string, { origin, party, flags = 0x45, type = 'webauthn.create' }: Deviation = {}) {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    // A COSE key (RFC 9053, 7.1.1): kty EC2, alg ES256, crv P-256, x, y.
    const cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
    const length = Buffer.from([0, this.id.length])
    const data = Buffer.concat([this.#head(party, flags, 0), Buffer.alloc(16), length, this.id, cose])
    // CBOR: { fmt: "none", attStmt: {}, authData: bytes }.
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([data.length]),
      data,
    ])
    return this.#credential({
      clientDataJSON: base64url(this.#client(type, challenge, origin)),
      attestationObject: base64url(attestation),
      transports: ['internal', 'carrier-pigeon'],
    })
  }

  /** `navigator.credentials.get()`. */
  get(challenge: string, { origin, party, flags = 0x05, type = 'webauthn.get', counter }: Deviation = {}) {
    this.#counter = counter ?? this.#counter + 1
    const client = this.#client(type, challenge, origin)
    const data = this.#head(party, flags, this.#counter)
    const signature = crypto.sign('sha256', Buffer.concat([data, sha256(client)]), this.#keys.privateKey)
    return this.#credential({
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(signature),
      userHandle: null,
    })
  }

  #credential(response: Record<string, unknown>) {
    const id = base64url(this.id)
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #client(type: string, challenge: string, origin = 'https://api.example'): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #head(party = 'api.example', flags: number, counter: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(party), Buffer.from([flags]), count])
  }
}
