import type { FillRequest } from '../elements.ts'
import type { PartTools } from '../part-tools.ts'
import { createElement } from '../script-element.ts'
import { findAuthorWorker, urlOfWorker } from './author-worker.ts'
import { watchReports } from './worker-reports.ts'

/** In ms: until an element that has neither loaded nor failed counts as filled, and until what was reported of a failure is here. */
const LOAD_TIMEOUT = 10_000
const REPORT_TIMEOUT = 2000

let finding: ReturnType<typeof findAuthorWorker> | undefined

/**
 * Shows a picture, a video or a sound by its URL of the author's worker: it plays while it comes, and seeks. `false` where no such
 * worker serves the page, or where it would do otherwise than filling without it.
 * @throws {Error} with a `code`
 */
export async function streamByWorker(
  tools: PartTools,
  element: HTMLElement,
  request: FillRequest,
  signal: AbortSignal,
): Promise<boolean> {
  if (!navigator.serviceWorker || !takes(element, request)) return false
  finding ??= findAuthorWorker()
  const worker = await finding
  const url = worker && urlOfWorker(worker, request)
  if (!url) return false
  signal.throwIfAborted()
  const outcome = watchReports(element, url)
  const undo = restorer(element)
  try {
    const shown = element instanceof HTMLImageElement ? showPicture(element, url) : play(element, url)
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    if (await Promise.race([shown, outcome.failed, aborted])) {
      outcome.loaded()
      return true
    }
    // The answer is the worker's, and is no content that this browser shows; or it was never the worker's.
    const isTheWorkers = await Promise.race([asksWorker(url), outcome.failed, aborted])
    if (isTheWorkers) throw tools.fail('not_showable', `This browser can't show the content in <${element.localName}>.`)
    undo()
    return false
  } catch (error) {
    outcome.end()
    undo()
    throw error
  }
}

function takes(element: HTMLElement, { kind }: FillRequest): element is HTMLImageElement | HTMLMediaElement {
  return kind === 'image'
    ? element instanceof HTMLImageElement
    : element instanceof HTMLMediaElement && (kind === 'video' || kind === 'audio')
}

/** Gives an element back what its author had in it. */
function restorer(element: HTMLImageElement | HTMLMediaElement): () => void {
  const before = ['src', 'srcset', 'sizes'].map((name) => [name, element.getAttribute(name)] as const)
  return () => {
    for (const [name, value] of before) {
      if (value === null) element.removeAttribute(name)
      else if (element.getAttribute(name) !== value) element.setAttribute(name, value)
    }
    if (element instanceof HTMLMediaElement) element.load()
  }
}

/** Without a trial outside the page, which would fetch the beginning twice. */
function play(element: HTMLMediaElement, url: string): Promise<boolean> {
  const isLater = element.preload === 'none' && !element.autoplay
  const settled = settle(element, isLater ? 'suspend' : 'loadedmetadata')
  element.src = url
  return settled
}

async function showPicture(element: HTMLImageElement, url: string): Promise<boolean> {
  const trial = createElement('img')
  const tried = settle(trial, 'load')
  trial.src = url
  if (!(await tried)) return false
  for (const name of ['srcset', 'sizes']) element.removeAttribute(name)
  element.src = url
  // A lazy image loads when it is near the viewport.
  return element.complete || element.loading === 'lazy' || (await settle(element, 'load'))
}

/** Whether the element has loaded; what takes longer than 10 s counts as such. */
function settle(element: HTMLElement, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const once = { once: true }
    element.addEventListener(name, () => resolve(true), once)
    element.addEventListener('error', () => resolve(false), once)
    setTimeout(() => resolve(true), LOAD_TIMEOUT)
  })
}

/** Whether the worker has content at the URL. If it refuses with a sentence, a report of it comes too. */
async function asksWorker(url: string): Promise<boolean> {
  const answer = await fetch(url, { headers: { Range: 'bytes=0-0' } }).catch(() => undefined)
  await answer?.body?.cancel().catch(() => {})
  if (answer?.ok) return answer.headers.get('Content-Security-Policy') === 'sandbox'
  await new Promise((resolve) => setTimeout(resolve, REPORT_TIMEOUT))
  return false
}
