import { parseAccept } from 'hono/utils/accept'
import { AppError } from '../../../platform/http/errors.ts'

/** The response types of the Path and Trustless Gateway specifications, by their `format` value. */
const MEDIA_TYPES = {
  raw: 'application/vnd.ipld.raw',
  car: 'application/vnd.ipld.car',
  tar: 'application/x-tar',
  'dag-json': 'application/vnd.ipld.dag-json',
  'dag-cbor': 'application/vnd.ipld.dag-cbor',
  json: 'application/json',
  cbor: 'application/cbor',
  'ipns-record': 'application/vnd.ipfs.ipns-record',
} as const

export type FormatName = keyof typeof MEDIA_TYPES

export interface ResponseFormat {
  /** `undefined`: what the content is by itself. */
  name: FormatName | undefined
  /** Parameters of the `Accept` entry that was chosen (CAR: `version`, `order`, `dups`). */
  parameters: ReadonlyMap<string, string>
  /** The client is a browser or asks as one does: `Accept` has `text/html`. */
  html: boolean
  /** `Accept` asked for a format that the URL does not say, or says otherwise: that calls for `Content-Location`. */
  negotiated: boolean
  /** Whether the answer depends on `Accept`: there is no `format`, or it is a CAR, whose parameters are in `Accept`. */
  byAccept: boolean
}

/**
 * The requested format: `format` in the URL, then `Accept`. The parameters of a CAR are read from a matching `Accept` entry
 * in both cases.
 * @throws {AppError} 400 for a `format` that does not exist.
 */
export function responseFormat(query: URLSearchParams, accept: string | null): ResponseFormat {
  const accepted = acceptedTypes(accept)
  const html = accepted.some(({ type }) => type === 'text/html')
  const asked = query.get('format')
  if (asked !== null && !isFormat(asked)) {
    throw new AppError(400, 'unknown_format', `format must be one of ${Object.keys(MEDIA_TYPES).join(', ')}.`)
  }
  if (asked) {
    const entry = accepted.find(({ type }) => type === MEDIA_TYPES[asked])
    const other = !entry && accepted.some(({ type }) => Object.values<string>(MEDIA_TYPES).includes(type))
    return {
      name: asked,
      parameters: entry?.parameters ?? new Map(),
      html,
      negotiated: other,
      byAccept: asked === 'car',
    }
  }
  for (const { type, parameters } of accepted) {
    const name = Object.keys(MEDIA_TYPES).find((format) => isFormat(format) && MEDIA_TYPES[format] === type)
    if (name && isFormat(name)) return { name, parameters, html, negotiated: true, byAccept: true }
    // Later entries of the list are preferred less than a page.
    if (type === 'text/html') break
  }
  return { name: undefined, parameters: new Map(), html, negotiated: false, byAccept: true }
}

export function formatMediaType(name: FormatName): string {
  return MEDIA_TYPES[name]
}

/** Whether `format` may have this value. */
export function isFormat(text: string): text is FormatName {
  return Object.hasOwn(MEDIA_TYPES, text)
}

/** The entries of an `Accept` header, most wanted first (RFC 9110, 12.5.1). */
function acceptedTypes(header: string | null) {
  return parseAccept(header ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type, params }) => {
      const parameters = Object.entries(params).map(([name, value]) => [name.toLowerCase(), value] as const)
      return { type: type.toLowerCase(), parameters: new Map(parameters) }
    })
}
