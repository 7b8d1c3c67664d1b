/** `Cache-Control` of whatever a list of txids, an object id or a hash in its name stands for: it never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

/** `Cache-Control` of what must not be kept anywhere. */
export const NO_STORE = 'no-store'

/**
 * `Content-Security-Policy` of content of strangers on a host that has other things as well: it never acts with the
 * host's origin, whatever its media type.
 */
export const SANDBOX = 'sandbox allow-scripts allow-forms allow-popups'
