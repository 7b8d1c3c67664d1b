import * as v from 'valibot'

/** Numbers come as text where the runtime has 64 bits for them. */
const Count = v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.number())
const Hex = v.pipe(v.string(), v.regex(/^[\da-f]*$/i), v.toLowerCase())

const Etag = v.variant('type', [
  v.object({ type: v.picklist(['strong', 'weak']), value: v.string() }),
  v.object({ type: v.literal('wildcard') }),
])

const Condition = v.object({
  etagMatches: v.optional(v.array(Etag)),
  etagDoesNotMatch: v.optional(v.array(Etag)),
  /** Milliseconds since 1970, as the next. */
  uploadedBefore: v.optional(Count),
  uploadedAfter: v.optional(Count),
  secondsGranularity: v.optional(v.boolean()),
})

const Range = v.object({ offset: v.optional(Count), length: v.optional(Count), suffix: v.optional(Count) })

const Fields = {
  customFields: v.optional(v.array(v.object({ k: v.string(), v: v.string() }))),
  httpFields: v.optional(v.record(v.string(), v.union([v.string(), v.number()]))),
}

const Request = v.variant('method', [
  v.object({ method: v.literal('head'), object: v.string() }),
  v.object({
    method: v.literal('get'),
    object: v.string(),
    range: v.optional(Range),
    rangeHeader: v.optional(v.string()),
    onlyIf: v.optional(Condition),
  }),
  v.object({
    method: v.literal('put'),
    object: v.string(),
    ...Fields,
    onlyIf: v.optional(Condition),
    /** In base64, the others in hex. */
    md5: v.optional(v.string()),
    sha1: v.optional(Hex),
    sha256: v.optional(Hex),
    sha384: v.optional(Hex),
    sha512: v.optional(Hex),
  }),
  v.object({ method: v.literal('createMultipartUpload'), object: v.string(), ...Fields }),
  v.object({ method: v.literal('uploadPart'), object: v.string(), uploadId: v.string(), partNumber: v.number() }),
  v.object({
    method: v.literal('completeMultipartUpload'),
    object: v.string(),
    uploadId: v.string(),
    parts: v.array(v.object({ etag: v.string(), part: v.number() })),
  }),
  v.object({ method: v.literal('abortMultipartUpload'), object: v.string(), uploadId: v.string() }),
  v.object({
    method: v.literal('list'),
    limit: v.optional(v.number()),
    prefix: v.optional(v.string()),
    cursor: v.optional(v.string()),
    delimiter: v.optional(v.string()),
    startAfter: v.optional(v.string()),
    /** 0: HTTP metadata, 1: custom metadata. */
    include: v.optional(v.array(v.picklist([0, 1]))),
  }),
  v.object({ method: v.literal('delete'), object: v.optional(v.string()), objects: v.optional(v.array(v.string())) }),
])

/** What the runtime's R2 binding asks for. */
export type BucketRequest = v.InferOutput<typeof Request>
export type RequestOf<M extends BucketRequest['method']> = Extract<BucketRequest, { method: M }>
export type Condition = v.InferOutput<typeof Condition>
export type RangeAsked = Pick<RequestOf<'get'>, 'range' | 'rangeHeader'>

/** The request in a text of the runtime. @throws {Error} where it is none. */
export function parseBucketRequest(text: string): BucketRequest {
  return v.parse(Request, JSON.parse(text))
}
