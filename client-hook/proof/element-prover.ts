import { BLOCKCHAINS, type Blockchain } from '../../protocol/chains.ts'
import type { Checkpoints } from '../../reader/proof/parse-checkpoints.ts'
import { parseRequired, satisfies } from '../../reader/proof/required-state.ts'
import type { Proven } from '../../reader/proof/verify-proof.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { type FillRequest, findElements } from '../elements.ts'
import { REQUEST_ATTRS } from '../fill.ts'
import type { FollowProven, PartTools } from '../part-tools.ts'
import { ContentProver, type Found, isNotFound, type Request } from './content-prover.ts'

/** Proofs that are fetched before the content of their elements is there; further ones are fetched with it. */
const AHEAD = 24
/** `worked` of what is shown is asked again when it was asked so long ago, in ms. */
const HOURLY = 3_600_000
/** Headers after a block that are fetched for a note. */
const NOTE_DEPTH = 6
const NAME = 'data-proof'
const UNPROVEN: Proven = { state: 'unproven', depth: 0, time: 0 }

/** Shows the content of elements when it is proven as far as they ask for. */
export class ElementProver {
  readonly #tools: PartTools
  readonly #prover: ContentProver
  /** What is being proven, and asked again, by content: elements may have the same. */
  readonly #running = new Map<string, Promise<Found>>()
  readonly #renewals = new Map<string, Promise<Proven>>()

  constructor(tools: PartTools, pinned: Checkpoints) {
    this.#tools = tools
    this.#prover = new ContentProver(tools, pinned)
    this.#fetchAhead()
  }

  async prove(element: HTMLElement, request: FillRequest, show: () => Promise<void>): Promise<void> {
    const asked = this.#askedOf(element)
    const required = parseRequired(asked)
    if (request.blockchain === 'IPFS') {
      // The default of the script tag is for content of chains.
      if (!element.hasAttribute(NAME)) return await show()
      throw this.#invalid('is for content of a chain')
    }
    if (!required && asked !== 'note') {
      throw this.#invalid(`must be buried, worked, worked 1 to worked 12, or note, not ${JSON.stringify(asked)}`)
    }
    const content = { ...request, blockchain: request.blockchain, depth: depthOf(asked) }
    if (!required) {
      await show()
      whenIdle(async () => {
        const found = await this.#prove(content).catch(() => undefined)
        emit(element, found?.proven ?? UNPROVEN)
        if (found && this.#isOld(content, found)) await this.#askAgain(element, content, found)
      })
      return
    }
    const before = attributesOf(element)
    const found = await this.#prove(content).catch((error: unknown) => {
      throw this.#tools.fail('not_proven', error instanceof Error ? error.message : String(error), error)
    })
    const { proven } = found
    // Another content is being read for it meanwhile.
    if (attributesOf(element) !== before) throw this.#tools.fail('aborted', 'The element has changed.')
    if (!satisfies(proven, required)) {
      throw this.#tools.fail('not_proven', `Asked for is ${asked}, and proven ${toldOf(proven)}.`)
    }
    await show()
    emit(element, proven)
    if (this.#isOld(content, found)) whenIdle(() => this.#askAgain(element, content, found))
  }

  readonly follow: FollowProven = async (request, txid) => {
    try {
      return await this.#prover.follow(request, txid)
    } catch (error) {
      // No block has one, or what was sent proves nothing; others are of fetching.
      if (!(error instanceof ReaderError || isNotFound(error))) throw error
      throw this.#tools.fail('not_proven', error.message, error)
    }
  }

  /** What was proven by work may be replaced by other blocks. What is shown stays. */
  async #askAgain(element: HTMLElement, content: Request, { txids }: Found): Promise<void> {
    emit(element, await once(this.#renewals, content, () => this.#renew(content, txids)))
  }

  #isOld(content: Request, { proven, asked }: Found): boolean {
    if (this.#renewals.has(nameOf(content))) return true
    return proven.state === 'worked' && navigator.onLine && Date.now() - asked > HOURLY
  }

  #prove(content: Request): Promise<Found> {
    return once(this.#running, content, () => this.#prover.prove(content))
  }

  async #renew(content: Request, txids: readonly string[]): Promise<Proven> {
    // A host that does not answer is not asked more often than one that does.
    await this.#prover.postpone(txids, Date.now())
    try {
      return (await this.#prover.prove({ ...content, reload: true })).proven
    } catch (error) {
      if (!isNotFound(error)) throw error
      await this.#prover.forget(txids)
      return UNPROVEN
    }
  }

  /** Fetches the proofs of the elements of the page while their content is fetched. */
  #fetchAhead(): void {
    let left = AHEAD
    for (const blockchain of BLOCKCHAINS) {
      for (const element of findElements(document, blockchain)) {
        const isAsked = element.hasAttribute(NAME) || this.#tools.dataset.proof !== undefined
        if (isAsked && left-- > 0) this.#begin(element, blockchain)
      }
    }
  }

  #begin(element: HTMLElement, blockchain: Blockchain): void {
    const sources = (element.getAttribute('data-src') ?? '').split(',').map((txid) => txid.trim().toLowerCase())
    // What is wrong, or names sources of its own, is asked for when the element is filled.
    if (!sources.every((txid) => /^[0-9a-f]{64}$/.test(txid)) || element.hasAttribute('data-gateways')) return
    const reload = element.getAttribute('data-cache') === 'reload'
    this.#prover.begin({ sources, gateways: [], reload, blockchain, depth: depthOf(this.#askedOf(element)) })
  }

  #askedOf(element: HTMLElement): string {
    return (element.getAttribute(NAME) ?? this.#tools.dataset.proof ?? '').trim()
  }

  #invalid(rule: string) {
    return this.#tools.fail('invalid_element', `${NAME} ${rule}.`)
  }
}

/** Headers of each block that are needed. */
function depthOf(asked: string): number {
  const required = parseRequired(asked)
  return required ? (required.state === 'worked' ? required.depth : 1) : NOTE_DEPTH
}

function attributesOf(element: Element): string {
  return [...REQUEST_ATTRS, NAME].map((name) => element.getAttribute(name)).join('\n')
}

function emit(element: Element, proven: Proven): void {
  element.dispatchEvent(new CustomEvent('hook:proof', { detail: proven, bubbles: true, composed: true }))
}

function nameOf({ blockchain, sources, gateways, reload, depth }: Request): string {
  return [blockchain, sources, gateways, reload, depth].join(' ')
}

/** The work of a content that is running already, else what `work` begins. */
function once<T>(running: Map<string, Promise<T>>, content: Request, work: () => Promise<T>): Promise<T> {
  const name = nameOf(content)
  const known = running.get(name)
  if (known) return known
  const own = work().finally(() => running.delete(name))
  running.set(name, own)
  return own
}

function whenIdle(work: () => Promise<void>): void {
  const run = () => void work().catch(console.warn)
  if ('requestIdleCallback' in window) requestIdleCallback(run, { timeout: 5000 })
  else setTimeout(run)
}

function toldOf({ state, depth }: Proven): string {
  return state === 'unproven' ? 'nothing' : `${state} ${depth}`
}
