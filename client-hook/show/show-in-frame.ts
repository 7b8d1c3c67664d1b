import type { Content, SiteFile } from '../content.ts'
import { firstHost } from '../first-host.ts'
import type { PartTools } from '../part-tools.ts'

/** What is posted to `/frame`, once, with a port for the answer. It must understand helpers of any version. */
export interface FrameMessage {
  mediaType: string
  bytes: Uint8Array
  /** All files of the site that the bytes belong to, and the path of this one. */
  path?: string
  files?: SiteFile[]
  /** Source of a function that shows a page of the site. */
  siteScript?: string
}

/**
 * What `/frame` answers on the port: the content is shown, or an error, or the link to another page that was followed.
 */
export type FrameAnswer = { shown: true } | { error: string } | { open: string }

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
    frame.setAttribute('sandbox', SANDBOX)
    frame.setAttribute('loading', 'eager')
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
  const done = new AbortController()
  try {
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        const failure = tools.fail('frame_failed', `${url} did not load.`)
        tools.explainRefusal(failure, url, 'frame-src').then(reject)
      }
      let timer = setTimeout(giveUp, LOAD_TIMEOUT)
      done.signal.addEventListener('abort', () => clearTimeout(timer))
      const loaded = () => {
        clearTimeout(timer)
        // If the page's policy blocks the frame, an error page has loaded that never answers.
        tools.explainRefusal(undefined, url, 'frame-src').then((refusal) => refusal && reject(refusal))
        timer = setTimeout(giveUp, ANSWER_TIMEOUT)
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }: MessageEvent<FrameAnswer>) => {
          if ('shown' in data) resolve()
          else if ('error' in data) reject(tools.fail('not_showable', String(data.error)))
          else if (content.site?.files.some(({ path }) => path === data.open)) {
            port1.close()
            load(tools, host, frame, { ...content, site: { ...content.site, path: data.open } }).catch(() => {})
          }
        }
        // An opaque origin cannot be named as target origin. The posted content is public, and the answer uses the port
        // only, so other messages are ignored.
        frame.contentWindow?.postMessage(message(content), '*', [port2])
      }
      // Until one answers: the earlier document may still fire `load` (in Firefox the blank page does).
      frame.addEventListener('load', loaded, { signal: done.signal })
      frame.setAttribute('src', url)
    })
  } finally {
    done.abort()
  }
}

function message({ mediaType, bytes, site }: Content): FrameMessage {
  const entry = site?.files.find(({ path }) => path === site.path)
  if (!site || !entry) return { mediaType, bytes }
  return { mediaType: entry.mediaType, bytes: entry.bytes, path: site.path, files: site.files, siteScript: site.script }
}
