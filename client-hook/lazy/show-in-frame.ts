import { typeOfBytes } from '../../reader/charset.ts'
import type { Content } from '../content.ts'
import { firstHost } from '../first-host.ts'
import { essenceOf, mediaKind } from '../media-type.ts'
import type { PartTools } from '../part-tools.ts'
import { serveSite } from './serve-site.ts'

/** What is posted to `/frame`, once, with a port for the answer. It must understand helpers of any version. */
export interface FrameMessage {
  mediaType: string
  bytes: Uint8Array
  /** The CID of the site, the path of the bytes in it, query and fragment, and whether all of its files are at hand. */
  root?: string
  path?: string
  place?: string
  complete?: boolean
  /** Source of a function that shows the site. It asks for files and pages by the port of a second message. */
  siteScript?: string
}

/**
 * What `/frame` answers on the port: the content is shown, the page of a site is (`written`, since `/frame` does not wait
 * for it), or an error.
 */
export type FrameAnswer = { shown: true } | { written: true } | { error: string }

// The build inserts their SHA-256 here, in base64.
declare const FRAMES_PART: string
declare const SITE_PART: string

const SANDBOX = 'allow-scripts allow-forms allow-popups'
/** In ms. */
const LOAD_TIMEOUT = 20_000
const ANSWER_TIMEOUT = 3000
/** Many times the size of the page in any version. */
const MAX_FRAME_BYTES = 1 << 16

/**
 * Shows content on an opaque origin. If that fails, the frame does not change.
 * @throws {HookError}
 */
export async function showInFrame(tools: PartTools, frame: HTMLIFrameElement, content: Content): Promise<void> {
  if (!frame.isConnected) throw tools.fail('invalid_element', 'An iframe must be in the document to load.')
  const before = ['sandbox', 'src', 'srcdoc', 'loading', 'credentialless'].map(
    (name) => [name, frame.getAttribute(name)] as const,
  )
  try {
    frame.removeAttribute('srcdoc')
    frame.setAttribute('loading', 'eager')
    if (await showOnHost(tools, frame, content)) return
    frame.setAttribute('sandbox', SANDBOX)
    // A cross-origin isolated page (COEP) loads other frames only if they are credentialless.
    if (window.crossOriginIsolated) frame.setAttribute('credentialless', '')
    await load(tools, await findFrameHost(tools), frame, content)
  } catch (error) {
    for (const [name, value] of before) {
      if (value === null) frame.removeAttribute(name)
      else frame.setAttribute(name, value)
    }
    throw error
  }
}

/** Frames whose `sandbox` is that of such a host. */
const onHosts = new WeakSet<HTMLIFrameElement>()

/** Whether it is shown on a host of its own, with a worker: HTML is, where there can be such a host. */
async function showOnHost(tools: PartTools, frame: HTMLIFrameElement, content: Content): Promise<boolean> {
  const sandbox = frame.getAttribute('sandbox')
  const isAuthors = sandbox !== null && sandbox !== SANDBOX && !onHosts.has(frame)
  if (isAuthors) return false
  if (mediaKind(essenceOf(content.mediaType) ?? '') !== 'html') return false
  const part = await tools.part('frames', FRAMES_PART)()
  const isOpen = await part.open(tools, frame, content)
  if (isOpen) onHosts.add(frame)
  return isOpen
}

/** The host whose `/frame` is used: with gateways, the first that has it now. */
async function findFrameHost({ base, gateways, download }: PartTools): Promise<string> {
  if (!gateways[0]) return base
  const ask = async (host: string) => {
    await download(`${host}/frame`, { limit: MAX_FRAME_BYTES, reload: true, redirect: 'error' })
    return host
  }
  // Without network the browser may still have it in its cache.
  return await firstHost([base, ...gateways], ask).catch(() => base)
}

async function load(tools: PartTools, host: string, frame: HTMLIFrameElement, content: Content): Promise<void> {
  const url = `${host}/frame`
  const { site } = content
  const isPage = site && mediaKind(essenceOf(content.mediaType) ?? '') === 'html'
  const siteScript = isPage ? await tools.part('site', SITE_PART)() : undefined
  const done = new AbortController()
  const end = new AbortController()
  shown.get(frame)?.abort()
  // Again for each document of a site: one that Back leads to is loaded anew.
  shown.set(frame, end)
  try {
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        const failure = tools.fail('frame_failed', `${url} did not load.`)
        tools.explainRefusal(failure, url, 'frame-src').then(reject)
      }
      let timer = setTimeout(giveUp, LOAD_TIMEOUT)
      const wait = (ms: number) => {
        clearTimeout(timer)
        if (!done.signal.aborted) timer = setTimeout(giveUp, ms)
      }
      done.signal.addEventListener('abort', () => clearTimeout(timer))
      const loaded = () => {
        clearTimeout(timer)
        // If the page's policy blocks the frame, an error page has loaded that never answers.
        tools.explainRefusal(undefined, url, 'frame-src').then((refusal) => refusal && reject(refusal))
        wait(ANSWER_TIMEOUT)
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }: MessageEvent<FrameAnswer>) => {
          // Said by /frame itself; its script writes the page later.
          if ('shown' in data && isPage) return
          if ('shown' in data || 'written' in data) resolve()
          else reject(tools.fail('not_showable', String(data.error)))
        }
        // An opaque origin cannot be named as target origin. The posted content is public, and the answer uses the port
        // only, so other messages are ignored.
        frame.contentWindow?.postMessage(message(content, siteScript), '*', [port2])
        if (!siteScript) return
        const files = new MessageChannel()
        serveSite(content, files.port1, {
          asked: () => clearTimeout(timer),
          answered: () => wait(ANSWER_TIMEOUT),
          failed(error) {
            if (done.signal.aborted) {
              frame.dispatchEvent(new CustomEvent('hook:error', { detail: { error }, bubbles: true, composed: true }))
            } else reject(error)
          },
        })
        frame.contentWindow?.postMessage('files', '*', [files.port2])
      }
      // Until one answers: the earlier document may still fire `load` (in Firefox the blank page does).
      frame.addEventListener('load', loaded, { signal: (siteScript ? end : done).signal })
      // Where a host of its own was tried in vain, it would be the entry that Back leads to.
      if (frame.src.includes('/.hookline/')) frame.contentWindow?.location.replace(url)
      else frame.setAttribute('src', url)
    })
  } catch (error) {
    end.abort()
    throw error
  } finally {
    done.abort()
  }
}

/** What ends when a frame shows something else. */
const shown = new WeakMap<HTMLIFrameElement, AbortController>()

function message({ mediaType, bytes, site }: Content, siteScript: string | undefined): FrameMessage {
  // A page of a site has no charset yet.
  return {
    mediaType: site ? typeOfBytes(mediaType, bytes) : mediaType,
    bytes,
    ...(site &&
      siteScript && { root: site.root, path: site.path, place: site.place, complete: site.complete, siteScript }),
  }
}
