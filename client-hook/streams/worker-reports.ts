import { readReport } from '../../client/worker/report-message.ts'

/** An element that shows a URL of the author's worker. */
interface Watched {
  element: WeakRef<HTMLElement>
  url: string
  outcome: Outcome
}

const watched = new Set<Watched>()
const removed = new FinalizationRegistry<Watched>((one) => watched.delete(one))
let isListening = false

/** What the worker reports of a URL that the element is given, once. */
export function watchReports(element: HTMLElement, url: string): Outcome {
  if (!isListening) navigator.serviceWorker.addEventListener('message', ({ data }) => tell(data))
  isListening = true
  const outcome = new Outcome()
  const one = { element: new WeakRef(element), url, outcome }
  watched.add(one)
  removed.register(element, one)
  return outcome
}

/** An outcome that a report of the worker may change; it does not hold its element. */
class Outcome {
  #reject: (error: Error) => void = () => {}
  #isLoaded = false
  #isDone = false
  /** Rejects with what was reported, an error with its `code`, before the element had loaded. */
  readonly failed = new Promise<never>((_, reject) => {
    this.#reject = reject
  })

  constructor() {
    this.failed.catch(() => {})
  }

  get isDone(): boolean {
    return this.#isDone
  }

  /** From now on a report is `hook:error` of the element. */
  loaded(): void {
    this.#isLoaded = true
  }

  /** No report counts any more. */
  end(): void {
    this.#isDone = true
  }

  fail(element: HTMLElement, error: Error): void {
    this.#isDone = true
    if (!this.#isLoaded) {
      this.#reject(error)
      return
    }
    element.setAttribute('data-state', 'error')
    element.dispatchEvent(new CustomEvent('hook:error', { detail: { error }, bubbles: true, composed: true }))
  }
}

function tell(message: unknown): void {
  const report = readReport(message)
  for (const one of watched) {
    const element = one.element.deref()
    if (!element || one.outcome.isDone) watched.delete(one)
    else if (report?.url === one.url) {
      one.outcome.fail(element, Object.assign(new Error(report.message), { code: report.code }))
    }
  }
}
