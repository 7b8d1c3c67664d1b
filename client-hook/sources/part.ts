import type { FetchAny } from '../fetch-from.ts'
import type { PartTools } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { createSourceFetcher } from './source-fetcher.ts'

/** What only pages with gateways need. */
export interface SourcesPart {
  start(tools: PartTools): FetchAny
}

export const part: SourcesPart = { start: createSourceFetcher }
providePart(part)
