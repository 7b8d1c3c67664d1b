import { DurableObject } from 'cloudflare:workers'
import type { Env } from './bindings.ts'

/** One per chain: the only place that touches that chain's money and writes. */
export class ChainAgent extends DurableObject<Env> {}
