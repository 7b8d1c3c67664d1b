import type { Content } from '../content.ts'
import { answerSite } from './answer-site.ts'
import type { FrameHost } from './find-host.ts'
import type { AnswerMessage, OpenMessage, SiteRequest } from './messages.ts'
import { parseShellMessage } from './parse-message.ts'
import { SitePages } from './site-pages.ts'

/** In ms: until the shell has loaded, has answered, has its worker, and until a page that was sent has loaded. */
const LOAD_TIMEOUT = 15_000
const HEARD_TIMEOUT = 3000
const READY_TIMEOUT = 10_000
const SHOWN_TIMEOUT = 10_000

/** What ends when an element shows something else. */
const shown = new WeakMap<HTMLIFrameElement, AbortController>()

/**
 * Opens the content on its host, and answers what it asks for as long as the frame is there. `false` where the host has no shell, or
 * the browser no worker there.
 * @throws {HookError} if the first page cannot be read
 */
export async function openSite(
  frame: HTMLIFrameElement,
  content: Content,
  { origin }: FrameHost,
  allowed: readonly string[],
): Promise<boolean> {
  shown.get(frame)?.abort()
  const end = new AbortController()
  shown.set(frame, end)
  const policy = policyOf(origin, allowed)
  const pages = new SitePages(content, (error) =>
    frame.dispatchEvent(new CustomEvent('hook:error', { detail: { error }, bubbles: true, composed: true })),
  )
  const url = `${origin}/.hookline/shell${modeOf(allowed)}`
  const isOpen = await new Promise<boolean>((resolve) => {
    const later = (ms: number, done: () => void) => {
      clearTimeout(timer)
      timer = setTimeout(done, ms)
    }
    let timer = setTimeout(() => resolve(false), LOAD_TIMEOUT)
    let isReady = false
    const answer = async (request: SiteRequest, port: MessagePort) => {
      port.postMessage({ heard: true } satisfies AnswerMessage)
      const answered = await answerSite(request, pages, policy)
      port.postMessage(answered satisfies AnswerMessage, answered.body ? [answered.body] : [])
      port.close()
      if (isReady && request.isPage) later(SHOWN_TIMEOUT, () => resolve(true))
    }
    // Again for each shell: a frame that is moved in its document loads anew.
    const loaded = () => {
      if (!isReady) {
        later(HEARD_TIMEOUT, () => resolve(false))
      }
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data, ports: [port] }: MessageEvent<unknown>) => {
        const said = parseShellMessage(data)
        if (end.signal.aborted || !said) return
        if ('ask' in said) {
          if (port) void answer(said.ask, port)
        } else if ('heard' in said) later(READY_TIMEOUT, () => resolve(isReady))
        else if ('ready' in said) {
          isReady = true
          later(READY_TIMEOUT, () => resolve(false))
        } else resolve('loaded' in said)
      }
      frame.contentWindow?.postMessage({ open: pages.start } satisfies OpenMessage, origin, [port2])
    }
    frame.addEventListener('load', loaded, { signal: end.signal })
    // Not every browser fires `load` where the policy of the page refuses the frame.
    addEventListener(
      'securitypolicyviolation',
      ({ disposition, effectiveDirective, blockedURI }) => {
        if (disposition === 'enforce' && effectiveDirective === 'frame-src' && isPartOf(blockedURI, url)) resolve(false)
      },
      { signal: end.signal },
    )
    frame.setAttribute('sandbox', sandboxOf(allowed))
    frame.setAttribute('src', url)
    end.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  if (!isOpen) end.abort()
  return isOpen
}

/**
 * What every answer of the site carries. Its own host is named by its origin: `'self'` would let web sockets through too, which no
 * worker sees.
 */
function policyOf(origin: string, allowed: readonly string[]): [name: string, value: string][] {
  const policy = [
    ...(allowed.includes('connect') ? [] : [`connect-src ${origin} data: blob:`]),
    ...(allowed.includes('forms') ? [] : [`form-action ${origin}`]),
  ]
  return [
    ...(policy.length > 0 ? [['Content-Security-Policy', policy.join('; ')] satisfies [string, string]] : []),
    ...(crossOriginIsolated ? [['Cross-Origin-Embedder-Policy', 'require-corp'] satisfies [string, string]] : []),
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
    ['Referrer-Policy', 'same-origin'],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-DNS-Prefetch-Control', 'off'],
  ]
}

/** Whether a browser that reports this address, or only its origin, means `url`. */
function isPartOf(blocked: string, url: string): boolean {
  return blocked !== '' && url.startsWith(blocked)
}

function mayLeave(allowed: readonly string[]): boolean {
  return allowed.includes('navigate') || allowed.includes('forms')
}

function modeOf(allowed: readonly string[]): string {
  const modes = [...(mayLeave(allowed) ? ['navigate'] : []), ...(crossOriginIsolated ? ['isolated'] : [])]
  return modes.length === 0 ? '' : `?${modes.join('&')}`
}

/** On an origin of its own, which is not the page's; without leaving the frame, or opening what is not framed. */
function sandboxOf(allowed: readonly string[]): string {
  const always = 'allow-scripts allow-same-origin allow-forms allow-downloads allow-modals'
  return mayLeave(allowed) ? `${always} allow-popups allow-popups-to-escape-sandbox` : always
}
