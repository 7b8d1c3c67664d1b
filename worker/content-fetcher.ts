import { DurableObject } from 'cloudflare:workers'
import type { Env } from './bindings.ts'

/** One per content: a crowd that asks for the same cold content is one fetch at the node. */
export class ContentFetcher extends DurableObject<Env> {}
