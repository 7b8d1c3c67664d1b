/** A refusal of the API, or a request that got no answer. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** 0 where no answer came. */
  readonly status: number
  /** Stable, for programs; `offline` where no answer came. */
  readonly code: string
  /** Seconds that the service asks to wait. */
  readonly retryAfter: number | undefined
  /** What the answer's body holds beside `message` and `code`. */
  readonly details: Record<string, unknown>

  constructor(
    status: number,
    code: string,
    message: string,
    options: { retryAfter?: number | undefined; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.status = status
    this.code = code
    this.retryAfter = options.retryAfter
    this.details = options.details ?? {}
  }
}

/** What was thrown, as the views show it: a fault of the console itself where it is no {@link ApiError}. */
export function asApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError(0, 'console_fault', String(thrown))
}

/** The parts of what was thrown that can be kept; what is no {@link ApiError} counts as a request without an answer. */
export function problemOf(thrown: unknown): Pick<ApiError, 'status' | 'code' | 'message'> {
  const { status, code, message } = thrown instanceof ApiError ? thrown : new ApiError(0, 'offline', '')
  return { status, code, message }
}

/** Whether the same request may succeed later without anybody changing anything. */
export function mayHelpAgain(error: ApiError): boolean {
  return error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500
}

/** The refusal that an answer's body says, or its status where it has none. */
export function refusalOf(response: Response, body: unknown): ApiError {
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  const { message, code, ...details } = fields
  return new ApiError(
    response.status,
    typeof code === 'string' ? code : `status_${response.status}`,
    typeof message === 'string' ? message : '',
    { retryAfter: retryAfterOf(response.headers.get('Retry-After')), details },
  )
}

/** Seconds of a `Retry-After` header (RFC 9110, 10.2.3), which may also be a date. */
export function retryAfterOf(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,6}$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
