import { type Answer, answerReader, listed, number, optional, text, withDefault } from './answer-shape.ts'

const readDomainStep = answerReader('The step', {
  step: text,
  /** `ok`, `waiting`, `failed`, or `unknown` where it was not looked at or could not be. */
  state: text,
  found: optional(text),
  /** What should be there instead. */
  wanted: optional(text),
  /** Unix seconds. */
  checkedAt: optional(number),
})
/** One thing that has to be right for a domain to show its site. */
export type DomainStep = Answer<typeof readDomainStep>

export const readDomain = answerReader('The domain', {
  host: text,
  item: optional(text),
  site: optional(text),
  /** `active`, `waiting`, or what Cloudflare says of the custom hostname. */
  status: text,
  /** The DNS record that proves the claim. */
  record: optional(text),
  /** What the last check found, in order. */
  steps: withDefault<DomainStep[]>(listed(readDomainStep), []),
})
export type Domain = Answer<typeof readDomain>

export const readSite = answerReader('The site', {
  id: text,
  name: text,
  host: optional(text),
  url: optional(text),
  /** Number of the version that it shows, and that version's item. */
  version: optional(number),
  item: optional(text),
  /** Unix seconds. */
  createdAt: optional(number),
})
export type Site = Answer<typeof readSite>

export const readSiteVersion = answerReader('The version', {
  number,
  item: text,
  name: optional(text),
  note: optional(text),
  /** The version on its own host. */
  url: optional(text),
  /** Unix seconds. */
  createdAt: optional(number),
})
export type SiteVersion = Answer<typeof readSiteVersion>
