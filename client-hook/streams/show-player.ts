import type { Content, Media } from '../content.ts'
import type { FillRequest } from '../elements.ts'
import type { PartTools } from '../part-tools.ts'
import { createElement } from '../script-element.ts'

// The build inserts its SHA-256 here, in base64.
declare const FRAMES_PART: string

/** Elements with a way of their own to show media. */
const OWN_WAY = /^(img|video|audio|source|track|embed|object|link|script|a)$/
const PLAYER = 'media'
const ATTRIBUTES = ['sandbox', 'src', 'srcdoc', 'loading']

/** Frames whose `sandbox` is that of such a host. */
const ours = new WeakSet<HTMLIFrameElement>()

/** Whether media is shown in this element by a player in a frame. */
export function takesPlayer(element: HTMLElement, { kind }: FillRequest): boolean {
  if (kind !== 'video' && kind !== 'audio') return false
  if (element instanceof HTMLIFrameElement) return !element.hasAttribute('sandbox') || ours.has(element)
  return !OWN_WAY.test(element.localName)
}

/**
 * Shows a player on a host of its own, whose service worker asks this page for what is played. `false` where there is no such host;
 * then the element is as it was.
 */
export async function showPlayer(
  tools: PartTools,
  element: HTMLElement,
  request: FillRequest,
  media: Media,
): Promise<boolean> {
  const part = await tools.part('frames', FRAMES_PART)()
  const content = contentOf(request, media)
  if (element instanceof HTMLIFrameElement) {
    const before = ATTRIBUTES.map((name) => [name, element.getAttribute(name)] as const)
    element.removeAttribute('srcdoc')
    element.setAttribute('loading', 'eager')
    if (await part.open(tools, element, content)) {
      ours.add(element)
      return true
    }
    for (const [name, value] of before) {
      if (value === null) element.removeAttribute(name)
      else element.setAttribute(name, value)
    }
    return false
  }
  const frame = createElement('iframe')
  frame.title = element.title
  frame.allowFullscreen = true
  // As attributes, so that the page's style sheets override them.
  frame.width = '100%'
  frame.height = request.kind === 'audio' ? '54' : '100%'
  frame.frameBorder = '0'
  // A frame loads only in the document. The author's placeholder stays visible until then.
  frame.style.cssText = 'position:absolute;visibility:hidden'
  element.append(frame)
  const isShown = await part.open(tools, frame, content).catch(() => false)
  if (!isShown) frame.remove()
  else {
    // Moving a frame would load it again, so the other nodes are removed instead.
    for (const node of [...element.childNodes]) if (node !== frame) node.remove()
    frame.style.cssText = request.kind === 'video' ? 'aspect-ratio:16/9' : ''
  }
  return isShown
}

/** A site of one page, with a player of one file. */
function contentOf({ kind, essence }: FillRequest, media: Media): Content {
  const page = `<!doctype html><meta charset="utf-8"><title>${kind}</title>
    <style>body{margin:0;background:${kind === 'video' ? '#000' : 'none'}}${kind}{display:block;width:100%;height:100vh;outline:none}</style>
    <${kind} controls preload="metadata" src="${PLAYER}"></${kind}>`
  const file = { path: PLAYER, mediaType: essence, bytes: new Uint8Array(), media }
  return {
    mediaType: 'text/html',
    bytes: new TextEncoder().encode(page),
    site: {
      root: media.root,
      place: '',
      path: 'index.html',
      complete: false,
      read: async (path) => (path === PLAYER ? file : undefined),
      open: () => Promise.reject(Object.assign(new Error('There is no other page.'), { code: 'not_found' })),
    },
  }
}
