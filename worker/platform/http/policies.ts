/** `Cache-Control` of our own files with a hash in their name: they never change. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

/**
 * `Cache-Control` of what a list of txids or an object id stands for: nor may it be changed on the way (RFC 9111, 5.2.2.6),
 * since readers verify its bytes.
 */
export const IMMUTABLE_CONTENT = `${IMMUTABLE}, no-transform`

/** `Cache-Control` of what must not be stored anywhere. */
export const NO_STORE = 'no-store'

/**
 * `Content-Security-Policy` of content of strangers on a host that has other things as well: it never acts with the
 * host's origin, no matter what its media type.
 */
export const SANDBOX = 'sandbox allow-scripts allow-forms allow-popups'
