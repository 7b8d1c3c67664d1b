import type { AskSources } from '../ask-source.ts'
import type { PartTools } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { createAskSources } from './ask-sources.ts'

/** What only pages with gateways need. */
export interface SourcesPart {
  start(tools: PartTools): AskSources
}

export const part: SourcesPart = { start: createAskSources }
providePart(part)
