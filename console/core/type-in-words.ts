import { texts } from '../texts/index.ts'
import { kindOf } from './media-type-of.ts'

/** A media type for people: "JPEG picture", "PDF file". */
export function typeInWords(mimetype: string): string {
  const kind = kindOf(mimetype)
  const subtype = /^[^/]+\/(?:x-)?([A-Za-z0-9]{2,12})(?:\+\w+)?(?:;|$)/.exec(mimetype)?.[1]
  if (subtype === undefined || mimetype === 'text/plain') return texts.kinds[kind]
  return texts.kindOf(subtype.toUpperCase(), texts.kinds[kind])
}
