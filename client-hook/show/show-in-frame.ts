import type { Content, SiteFile } from '../content.ts'
import { firstHost } from '../first-host.ts'
import type { PartTools } from '../part-tools.ts'

/** What `/frame` is told, once, together with a port to answer on. Helpers of any age must be understood. */
export interface FrameMessage {
  mediaType: string
  bytes: Uint8Array
  /** The other files of the site that the bytes belong to, and their own path in it. */
  path?: string
  files?: SiteFile[]
  /** Source of a function that shows a page of the site. */
  siteScript?: string
}

/** What `/frame` answers on the port: it shows the content, or why not, or a link to another page was followed. */
export type FrameAnswer = { shown: true } | { error: string } | { open: string }

const SANDBOX = 'allow-scripts allow-forms allow-popups'
/** In ms. */
const LOAD_TIMEOUT = 20_000
const ANSWER_TIMEOUT = 3000
/** Many times what the page of any age has. */
const MAX_FRAME_BYTES = 1 << 16

/** Shows content on an opaque origin; the frame is left as it was when that fails. @throws {HookError} */
export async function showInFrame(tools: PartTools, frame: HTMLIFrameElement, content: Content): Promise<void> {
  if (!frame.isConnected) throw tools.fail('invalid_element', 'A frame loads only inside the document.')
  const before = ['sandbox', 'src', 'srcdoc', 'loading', 'credentialless'].map(
    (name) => [name, frame.getAttribute(name)] as const,
  )
  try {
    frame.removeAttribute('srcdoc')
    frame.setAttribute('sandbox', SANDBOX)
    frame.setAttribute('loading', 'eager')
    // A page that isolates itself (COEP) takes in frames that do not only so.
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

/** The host whose `/frame` shows content: where there are gateways, the first that has it now. */
async function findFrameHost({ base, gateways, download }: PartTools): Promise<string> {
  if (!gateways[0]) return base
  const ask = async (host: string) => {
    await download(`${host}/frame`, { limit: MAX_FRAME_BYTES, reload: true, redirect: 'error' })
    return host
  }
  // Without network it may still come from the browser's cache.
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
        // Where the frame was refused an error page has loaded, which never answers.
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
        // Its origin is opaque, so no target origin can name it. What is posted is public, and it answers on the
        // port only: messages of others have no way in.
        frame.contentWindow?.postMessage(message(content), '*', [port2])
      }
      // Until one answers: what was in the frame before may still finish loading (Firefox does so for its blank page).
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
