/**
 * `Cache-Control` of what never changes: our own files with a hash in their name, and items on hosts of their own, where
 * intermediaries may compress what is not compressed.
 */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

/**
 * `Cache-Control` of the content of a list of txids or an object id, on hosts that are not its own. Intermediaries must not transform it (RFC 9111,
 * 5.2.2.6), because readers verify its bytes.
 */
export const IMMUTABLE_CONTENT = `${IMMUTABLE}, no-transform`

/** `Cache-Control` of answers that no cache may store. */
export const NO_STORE = 'no-store'

/**
 * `Content-Security-Policy` of untrusted content on a host that serves other things too: it never runs with the origin
 * of the host, for every media type.
 */
export const SANDBOX = 'sandbox allow-scripts allow-forms allow-popups'
