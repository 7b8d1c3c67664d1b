/**
 * Codes of {@link ReaderError}: `not_verified` if bytes do not match their name, `not_proven` if a proof is
 * wrong or proves less than was asked for, `too_large` beyond a limit of the reader,
 * `invalid_source` if the requested name is invalid.
 */
export type ReaderErrorCode =
  | 'aborted'
  | 'brotli_unavailable'
  | 'denied'
  | 'incomplete'
  | 'invalid_car'
  | 'invalid_dag'
  | 'invalid_source'
  | 'network'
  | 'not_a_file'
  | 'not_a_site'
  | 'not_found'
  | 'not_proven'
  | 'not_verified'
  | 'timeout'
  | 'too_large'
  | 'unavailable'
  | 'unsupported'
  | PageErrorCode

/** Codes of the page helper alone. */
type PageErrorCode =
  | 'failed'
  | 'frame_failed'
  | 'invalid_blockchain'
  | 'invalid_element'
  | 'no_such_inscription'
  | 'not_showable'
  | 'part_failed'
  | 'refused_by_policy'

/** Why content could not be read: `code` is stable for programs, `message` is for people. */
export class ReaderError extends Error {
  override name = 'ReaderError'
  readonly code: ReaderErrorCode

  /** @internal */
  constructor(code: ReaderErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** The server could not answer now; `response` is its answer. The request can be retried. */
export class UnavailableError extends ReaderError {
  readonly response: Response

  /** @internal */
  constructor(message: string, response: Response) {
    super('unavailable', message)
    this.response = response
  }
}
