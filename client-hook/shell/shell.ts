import type { OpenMessage, ShellMessage } from '../frames/messages.ts'
import { followLinks } from './follow-links.ts'

/**
 * The script of `/.hookline/shell`: holds a site in an inner frame, which the policy of the shell keeps on this host, and passes
 * the requests of the worker on to the page.
 */

addEventListener('message', function receive({ source, data, ports: [port] }: MessageEvent<OpenMessage>) {
  if (source !== parent || parent === window || !port) return
  removeEventListener('message', receive)
  const tell = (message: ShellMessage, ports: readonly MessagePort[] = []) => port.postMessage(message, [...ports])
  tell({ heard: true })
  start(String(data.open), tell).catch((error) => tell({ failed: String(error) }))
})

/** In ms. */
const LOOK_MS = 300

type Tell = (message: ShellMessage, ports?: readonly MessagePort[]) => void

async function start(path: string, tell: Tell): Promise<void> {
  const workers = navigator.serviceWorker
  if (!workers) throw new Error('This browser has no service workers here.')
  workers.onmessage = ({ data, ports }) => tell({ ask: data }, ports)
  await workers.register('/.hookline/worker.js', { scope: '/' })
  const { active } = await workers.ready
  // Before that WebKit asks the host for the first page.
  if (active && active.state !== 'activated') {
    await new Promise((resolve) => active.addEventListener('statechange', resolve, { once: true }))
  }
  tell({ ready: true })
  show(path, tell)
}

function show(path: string, tell: Tell): void {
  const mayLeave = new URLSearchParams(location.search).has('navigate')
  const frame = document.createElement('iframe')
  frame.allowFullscreen = true
  let last = path
  const keepPlace = () => {
    const { origin, pathname, search, hash } = frame.contentWindow?.location ?? location
    if (origin === location.origin) last = pathname + search + hash
  }
  const loaded = () => {
    tell({ loaded: true })
    if (!isReadable(frame) || !frame.contentWindow) return
    keepPlace()
    followLinks(frame.contentWindow)
  }
  // Not every browser fires `load` where the policy has stopped a navigation.
  const timer = setInterval(() => {
    if (isReadable(frame)) keepPlace()
    else if (!mayLeave) {
      clearInterval(timer)
      refuse(frame, () => show(last, tell))
    }
  }, LOOK_MS)
  frame.addEventListener('load', loaded)
  frame.src = path
  document.body.replaceChildren(frame)
}

/** Whether the site is in the frame, not what a browser shows in its place. */
function isReadable({ contentWindow }: HTMLIFrameElement): boolean {
  try {
    return contentWindow?.document !== undefined
  } catch {
    return false
  }
}

/** What is shown where the site leads to another host, which the policy has stopped. */
function refuse(frame: HTMLIFrameElement, back: () => void): void {
  const text = document.createElement('p')
  const button = document.createElement('button')
  text.textContent = 'The site leads to another address here, which this page does not show. '
  button.textContent = 'Back to the site'
  button.addEventListener('click', back)
  text.append(button)
  frame.replaceWith(text)
}
