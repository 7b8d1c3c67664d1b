import { typeOfBytes } from '../../protocol/inscriptions/type-of-bytes.ts'
import { ReaderError } from '../../reader/reader-error.ts'
import { answer, failure, outside, rangeOf, refusal } from './answer.ts'
import { type OpenContent, type Wanted, wantedOf } from './content.ts'
import { isBelow, parseRoute, type Route } from './route.ts'
import { streamBody } from './stream-body.ts'

/** What is not answered as it should be, for the page and the console. */
export interface Report {
  url: string
  code: string
  message: string
}

export interface Answering {
  scope: string
  /** Opens what a URL names. @throws {ReaderError} */
  open(route: Route, wanted: Wanted, signal: AbortSignal): Promise<OpenContent>
  /** Tells the page. */
  report(report: Report): void
}

/** What a request is for: more destinations come up than the types know. */
interface Use {
  destination: string
  mode: string
}

type Asked = Pick<Request, 'url' | 'method' | 'headers' | 'signal'> & Use

/** An answer, and when it is read. */
export interface Answered {
  response: Promise<Response>
  ended: Promise<void>
}

const UNKNOWN = 'application/octet-stream'

/**
 * Where answers may be used (Fetch, `Request.destination`; '' is `fetch` and what counts as it). All others are refused, above
 * all those that would open content as a page or a worker of the author's origin.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  '',
  'audio',
  'font',
  'image',
  'json',
  'script',
  'style',
  'track',
  'video',
])

/** The answer to a request of a page; `undefined` for one that is not below `/hookline/`, which goes its own way. */
export function answerRequest(request: Asked, answering: Answering): Answered | undefined {
  if (!isBelow(answering.scope, request.url)) return undefined
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { response: respond(request, answering, () => end()), ended }
}

async function respond(request: Asked, { scope, open, report }: Answering, end: () => void): Promise<Response> {
  const { url, method, headers } = request
  if (!isAllowed(request)) {
    end()
    return refusal(403, 'Content of a chain or of IPFS is not opened as a page, a frame or a worker of this site.')
  }
  if (method !== 'GET' && method !== 'HEAD') {
    end()
    return refusal(405, 'Content is read by GET.', { Allow: 'GET, HEAD' })
  }
  const controller = new AbortController()
  // In a task of its own: WebKit's service worker hangs for good where the `cancel` of a body aborts a running fetch at once.
  const stop = () => setTimeout(() => controller.abort(new ReaderError('aborted', 'It was read no further.')))
  const ended = () => {
    stop()
    end()
  }
  const failed = (error: unknown) => {
    const { code, message } = describe(error)
    if (code !== 'aborted') report({ url, code: code ?? 'failed', message })
    return failure(code, message)
  }
  request.signal.addEventListener('abort', stop)
  try {
    const route = parseRoute(scope, url)
    const content = await open(route, wantedOf(headers.get('Range')), controller.signal)
    const chosen = rangeOf(headers, content)
    if (!chosen || method === 'HEAD') ended()
    if (!chosen) return outside(content)
    const { range } = chosen
    const { size } = content
    if (method === 'HEAD') return answer(content, route.type ?? content.type ?? UNKNOWN, range, null)
    const pieces = content.read(range ?? { start: 0, end: size - 1 })
    // Without it a refused first block would be a broken body and not an answer with a sentence.
    const first = await pieces.next()
    const isStart = (range?.start ?? 0) === 0 && !first.done
    const type = route.type ?? content.type ?? (isStart ? typeOfBytes(first.value) : undefined) ?? UNKNOWN
    return answer(content, type, range, streamBody(behind(first, pieces), { failed, ended }))
  } catch (error) {
    ended()
    return failed(error)
  }
}

/** What was read first, and the rest. */
async function* behind(first: IteratorResult<Uint8Array>, rest: AsyncGenerator<Uint8Array>) {
  if (first.done) return
  yield first.value
  yield* rest
}

function describe(error: unknown) {
  if (error instanceof ReaderError) return error
  return { code: undefined, message: error instanceof Error ? error.message : String(error) }
}

/** Whether a request may be answered with content. */
function isAllowed({ destination, mode }: Use): boolean {
  return mode !== 'navigate' && ALLOWED.has(destination)
}
