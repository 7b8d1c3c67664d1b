/** The codes of R2 that this bucket answers; https://developers.cloudflare.com/r2/api/error-codes */
const CODES = {
  internal: { status: 500, code: 10001, message: 'We encountered an internal error. Please try again.' },
  noSuchKey: { status: 404, code: 10007, message: 'The specified key does not exist.' },
  tooLarge: {
    status: 400,
    code: 100100,
    message: 'Your proposed upload exceeds the maximum allowed object size.',
  },
  tooSmall: {
    status: 400,
    code: 10011,
    message: 'Your proposed upload is smaller than the minimum allowed object size.',
  },
  metadataTooLarge: {
    status: 400,
    code: 10012,
    message: 'Your metadata headers exceed the maximum allowed metadata size.',
  },
  invalidName: { status: 400, code: 10020, message: 'The specified object name is not valid.' },
  invalidLimit: { status: 400, code: 10022, message: 'MaxKeys params must be positive integer <= 1000.' },
  noSuchUpload: { status: 400, code: 10024, message: 'The specified multipart upload does not exist.' },
  invalidPart: { status: 400, code: 10025, message: 'One or more of the specified parts could not be found.' },
  invalidArgument: { status: 400, code: 10029, message: 'Metadata missing or invalid' },
  preconditionFailed: {
    status: 412,
    code: 10031,
    message: 'At least one of the pre-conditions you specified did not hold.',
  },
  badDigest: { status: 400, code: 10037, message: 'The checksum you specified did not match what we received.' },
  invalidRange: { status: 416, code: 10039, message: 'The requested range is not satisfiable' },
  badUpload: { status: 500, code: 10048, message: 'There was a problem with the multipart upload.' },
} as const

export type BucketErrorName = keyof typeof CODES

/** What a bucket refuses, in the form that the runtime's R2 binding reads. */
export class BucketError extends Error {
  override name = 'BucketError'
  readonly status: number
  /** Of R2. */
  readonly code: number

  constructor(name: BucketErrorName) {
    super(CODES[name].message)
    this.status = CODES[name].status
    this.code = CODES[name].code
  }
}

/** The header that says how many bytes of a body are the object's description, before its content. */
export const DESCRIPTION_SIZE = 'cf-r2-metadata-size'
/** The header of a request without a body. */
export const REQUEST = 'cf-r2-request'

/** The answer to the runtime; `described`: the object whose condition did not hold. */
export function answerError({ status, code, message }: BucketError, described?: Uint8Array<ArrayBuffer>): Response {
  const headers = new Headers({ 'cf-r2-error': JSON.stringify({ version: 1, v4code: code, message }) })
  if (!described) return new Response(null, { status, headers })
  headers.set(DESCRIPTION_SIZE, String(described.length))
  headers.set('Content-Type', 'application/json')
  return new Response(described, { status, headers })
}
