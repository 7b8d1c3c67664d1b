/** Bits of the window of every stream that the service stores (RFC 7932, 9.1). */
export const WINDOW_BITS = 22

/** Up to so many bytes content is compressed at quality 11: some 2.5 s of CPU for each MiB; more of it at 9. */
export const BEST_QUALITY_BYTES = 4 * 1024 * 1024
