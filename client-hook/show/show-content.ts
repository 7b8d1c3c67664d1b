import type { Content } from '../content.ts'
import type { LazyPart } from '../lazy/part.ts'
import type { MediaKind, SortedType } from '../media-type.ts'
import type { PartTools } from '../part-tools.ts'
import { createElement } from '../script-element.ts'
import { isInert, isScript } from './active-types.ts'
import { keepUrl } from './kept-urls.ts'

type Media = 'image' | 'video' | 'audio'

/** What an element still needs of a URL once it is filled: nothing; its existence; or to read it further. */
type Need = 'none' | 'kept' | 'read'

/** In ms. An element that has neither loaded nor failed by then counts as filled. */
const LOAD_TIMEOUT = 10_000
/** Browsers with a viewer of PDFs do not tell whether one has loaded (WebKit), or that it is not allowed. */
const PDF_TIMEOUT = 1000
const PDF = 'application/pdf'

/**
 * Shows verified content in an element, in the way of that element. If possible it is tested outside the page first, so
 * that an element that cannot show it stays as its author wrote it.
 * @throws {HookError}
 */
export async function showContent(
  tools: PartTools,
  element: HTMLElement,
  content: Content,
  type: SortedType,
  lazy: () => Promise<LazyPart>,
): Promise<void> {
  // Browsers do not open a saved file of this type in a tab, where HTML would run with the origin of the page.
  const mediaType = isDownload(element) ? 'application/octet-stream' : content.mediaType
  const url = URL.createObjectURL(new Blob([content.bytes.slice()], { type: mediaType }))
  let need: Need = 'none'
  try {
    need = await new Showing(tools, content, url, type, lazy).in(element)
  } finally {
    if (need === 'none') URL.revokeObjectURL(url)
    else keepUrl(element, { url, bytes: content.bytes.length, isRead: need === 'kept' })
  }
}

function isDownload(element: HTMLElement): element is HTMLAnchorElement {
  return element instanceof HTMLAnchorElement && element.hasAttribute('download')
}

/** Shows one content in an element. Its methods return what the element still needs of the URL. */
class Showing {
  readonly #tools: PartTools
  readonly #content: Content
  readonly #url: string
  readonly #essence: string
  readonly #kind: MediaKind
  readonly #lazy: () => Promise<LazyPart>

  constructor(
    tools: PartTools,
    content: Content,
    url: string,
    { essence, kind }: SortedType,
    lazy: () => Promise<LazyPart>,
  ) {
    this.#tools = tools
    this.#content = content
    this.#url = url
    this.#essence = essence
    this.#kind = kind
    this.#lazy = lazy
  }

  in(element: HTMLElement): Promise<Need> | Need {
    if (element instanceof HTMLIFrameElement) return this.#inFrame(element)
    if (element instanceof HTMLImageElement) return this.#asImage(element)
    if (element instanceof HTMLMediaElement) return this.#asMedia(element)
    if (element instanceof HTMLSourceElement) return this.#asSource(element)
    if (element instanceof HTMLEmbedElement) return this.#plugIn(element, 'src')
    if (element instanceof HTMLObjectElement) return this.#asObject(element)
    if (element instanceof HTMLLinkElement) return this.#asLink(element)
    if (element instanceof HTMLScriptElement) return this.#asScript(element)
    if (element instanceof HTMLTrackElement) {
      element.src = this.#url
      return 'read'
    }
    if (isDownload(element)) {
      element.href = this.#url
      return 'read'
    }
    return this.#inside(element)
  }

  async #inFrame(frame: HTMLIFrameElement): Promise<Need> {
    if (this.#essence === PDF) return await this.#plugIn(frame, 'src')
    const isText = this.#kind === 'html' || this.#kind === 'text'
    const content =
      isText && !this.#content.site ? { ...this.#content, mediaType: await this.#declaredType() } : this.#content
    await (await this.#lazy()).showInFrame(this.#tools, frame, content)
    return 'none'
  }

  async #asImage(element: HTMLImageElement): Promise<Need> {
    await this.#probe(element, 'image')
    for (const name of ['srcset', 'sizes']) element.removeAttribute(name)
    element.src = this.#url
    // A lazy image loads when it is near the viewport.
    if (element.loading === 'lazy' && !element.complete) return 'read'
    await this.#settled(element, 'load', 'img-src')
    return 'kept'
  }

  async #asMedia(element: HTMLMediaElement): Promise<Need> {
    await this.#probe(element, 'video', 'audio')
    element.src = this.#url
    return 'read'
  }

  async #asSource(element: HTMLSourceElement): Promise<Need> {
    const media = element.parentElement
    const plays = media instanceof HTMLMediaElement
    await (plays ? this.#probe(element, 'video', 'audio') : this.#probe(element, 'image'))
    element.type = this.#content.mediaType
    if (!plays) element.srcset = this.#url
    else {
      element.src = this.#url
      // A media element that found no source looks for one again only after `load()`.
      if (!media.currentSrc) media.load()
    }
    return 'read'
  }

  async #asObject(element: HTMLObjectElement): Promise<Need> {
    if (!element.firstElementChild && !element.textContent?.trim()) return await this.#plugIn(element, 'data')
    // Where Chromium has shown what is inside, it never shows anything else.
    return await (await this.#lazy()).plugInside(element, (inner) => this.#plugIn(inner, 'data'))
  }

  async #plugIn(element: HTMLElement, attribute: 'src' | 'data'): Promise<Need> {
    if (!isInert(this.#essence)) throw this.#unfit(element)
    if (this.#essence === PDF && navigator.pdfViewerEnabled === false) {
      throw this.#tools.fail('not_showable', 'This browser shows no PDF in a page.')
    }
    const directive = element instanceof HTMLIFrameElement ? 'frame-src' : 'object-src'
    await this.#changing(element, attribute, this.#content.mediaType, directive)
    return 'kept'
  }

  async #asLink(element: HTMLLinkElement): Promise<Need> {
    const isStyle = this.#essence === 'text/css'
    const rel = element.rel || (isStyle ? 'stylesheet' : '')
    if (isStyle && /\bstylesheet\b/i.test(rel)) {
      element.rel = rel
      await this.#changing(element, 'href', this.#content.mediaType, 'style-src')
      return 'none'
    }
    if (this.#kind !== 'image' || !/\bicon\b/i.test(rel)) throw this.#unfit(element)
    element.type = this.#content.mediaType
    element.href = this.#url
    return 'read'
  }

  async #asScript(element: HTMLScriptElement): Promise<Need> {
    if (!isScript(this.#essence)) throw this.#unfit(element)
    if (element.text.trim() !== '') {
      throw this.#tools.fail('invalid_element', ' script')
    }
    await this.#changing(element, 'src', this.#essence, 'script-src')
    return 'none'
  }

  async #inside(element: HTMLElement): Promise<Need> {
    if (this.#kind === 'html') {
      const frame = createElement('iframe')
      frame.title = element.title
      // As attributes, so that the page's style sheets override them.
      frame.width = frame.height = '100%'
      frame.frameBorder = '0'
      // A frame loads only in the document. The author's placeholder stays visible until then.
      frame.style.cssText = 'position:absolute;visibility:hidden'
      element.append(frame)
      try {
        await this.#inFrame(frame)
      } catch (error) {
        frame.remove()
        throw error
      }
      // Moving a frame would load it again, so the other nodes are removed instead.
      for (const node of [...element.childNodes]) if (node !== frame) node.remove()
      frame.style.cssText = ''
      return 'none'
    }
    if (this.#kind === 'text') {
      element.textContent = new TextDecoder(charset(await this.#declaredType())).decode(this.#content.bytes)
      return 'none'
    }
    if (this.#kind === 'other') throw this.#unfit(element)
    const media = await this.#probe(element, this.#kind)
    if (media instanceof HTMLMediaElement) media.controls = true
    else media.alt = element.title
    element.replaceChildren(media)
    return this.#kind === 'image' ? 'kept' : 'read'
  }

  /** The media type with the charset that the bytes declare. ASCII is the same in all of them, except with escapes. */
  async #declaredType(): Promise<string> {
    const { mediaType, bytes } = this.#content
    const isAscii = bytes.every((byte) => (byte > 27 && byte < 127) || (byte > 8 && byte < 14))
    return isAscii ? mediaType : (await this.#lazy()).typeOfBytes(mediaType, bytes)
  }

  /** Loads an image, video or sound outside the page. */
  async #probe(
    { localName }: Pick<Element, 'localName'>,
    ...wanted: Media[]
  ): Promise<HTMLImageElement | HTMLMediaElement> {
    const kind = wanted.find((one) => one === this.#kind)
    if (!kind) throw this.#unfit({ localName })
    const isImage = kind === 'image'
    const element = createElement(isImage ? 'img' : kind)
    if (element instanceof HTMLMediaElement) element.preload = 'metadata'
    element.src = this.#url
    await this.#settled(element, isImage ? 'load' : 'loadedmetadata', isImage ? 'img-src' : 'media-src')
    return element
  }

  /** Sets the URL and type of an element and waits until it has loaded; restores its attributes if that fails. */
  async #changing(element: HTMLElement, attribute: string, type: string, directive: string): Promise<void> {
    const before = ['type', attribute, 'srcdoc'].map((name) => [name, element.getAttribute(name)] as const)
    try {
      const url = attribute === 'href' ? this.#url : this.#tools.trustedUrl(this.#url)
      element.setAttribute('type', type)
      element.removeAttribute('srcdoc')
      const loaded = this.#settled(element, 'load', directive)
      // Sets the property, because setAttribute would turn the value of a Trusted Types policy into a plain string.
      Reflect.set(element, attribute, url)
      await loaded
    } catch (error) {
      for (const [name, value] of before) {
        if (value === null) element.removeAttribute(name)
        else element.setAttribute(name, value)
      }
      throw error
    }
  }

  /**
   * Resolves when an element has loaded, after 10 s in any case: what is attached counts as filled.
   * @throws {HookError} names the CSP directive if that blocked it
   */
  #settled(element: HTMLElement, event: string, directive: string): Promise<void> {
    const { fail, explainRefusal } = this.#tools
    return new Promise((resolve, reject) => {
      const once = { once: true }
      const failed = fail('not_showable', `This browser can't show the content in <${element.localName}>.`)
      const giveUp = () =>
        explainRefusal(undefined, this.#url, directive).then((refusal) => (refusal ? reject(refusal) : resolve()))
      setTimeout(giveUp, this.#essence === PDF ? PDF_TIMEOUT : LOAD_TIMEOUT)
      element.addEventListener(event, () => resolve(), once)
      element.addEventListener('error', () => explainRefusal(failed, this.#url, directive).then(reject), once)
    })
  }

  /** Its sentence is in the lazy part. */
  #unfit({ localName }: Pick<Element, 'localName'>) {
    return this.#tools.fail('invalid_element', `${this.#essence} <${localName}>`)
  }
}

function charset(mediaType: string): string {
  const label = /;\s*charset="?([\w-]+)/i.exec(mediaType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).encoding
  } catch {
    return 'utf-8'
  }
}
