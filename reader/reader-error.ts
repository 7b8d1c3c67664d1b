/**
 * Why content could not be read. Codes: `not_found`, `not_verified` (what came is not what was named), `too_large`
 * (beyond a limit of the reader), `denied`, `unavailable`, `network`, `timeout`, `invalid_source` (what is asked for
 * can't be), `not_a_file`, `not_a_site`, `unsupported`, `incomplete`, `brotli_unavailable`.
 */
export class ReaderError extends Error {
  override name = 'ReaderError'
  readonly code: string

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** A server that could not answer now, with the answer that says so: whoever waits may ask again. */
export class UnavailableError extends ReaderError {
  readonly response: Response

  constructor(message: string, response: Response) {
    super('unavailable', message)
    this.response = response
  }
}
