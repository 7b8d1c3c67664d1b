import type { FrameAnswer, FrameMessage } from '../lazy/show-in-frame.ts'
import { essenceOf, mediaKind } from '../media-type.ts'
import { PortRequests } from './ask-by-port.ts'
import type { FromPage, HelperAnswer, HelperRequest, OpenedPage, ToPage, WrittenPage } from './messages.ts'
import { decodePage } from './parse-page.ts'
import { sendScript, shellUrl } from './shell.ts'
import { changesOf, isBelow, type Shown, shownAfter } from './shown-pages.ts'
import type { Place } from './site-path.ts'

/** A document of the site, by its address: the numbers of the frames that it is in, `''` for the outermost. */
interface PageDocument {
  port: MessagePort
  /** What its files are read with. */
  page: number
  name: string
  /** What it shows unless a link has led elsewhere. */
  first: Place
}

/** What this document keeps with an entry of the history. */
interface Entry {
  root: string
  shown: Shown
}

/** In ms, until a page that has gone counts as gone elsewhere. */
const LEFT_MS = 500
/** Documents that a site may have at once. */
const MAX_DOCUMENTS = 100

/**
 * Holds a site in `/frame`: its pages are in a frame inside, which is replaced by each of them, while Back and Forward lead through
 * the entries that this document adds.
 */
export class SiteHost {
  readonly #message: FrameMessage
  readonly #answer: (message: FrameAnswer) => void
  readonly #helper: Promise<MessagePort>
  readonly #requests = new PortRequests<HelperAnswer>()
  readonly #documents = new Map<string, PageDocument>()
  /** Where it is another one, an entry of the history is of what the frame had before. */
  readonly #root: string
  #shown: Shown
  #frame: HTMLIFrameElement | undefined
  #given: OpenedPage | undefined

  constructor(message: FrameMessage, answer: (message: FrameAnswer) => void) {
    const { root = '', path = '', place = '', mediaType, bytes } = message
    this.#root = root
    const { search, hash } = new URL(place, 'https://site.invalid/')
    this.#message = message
    this.#answer = answer
    this.#given = { number: 0, path, mediaType, bytes }
    this.#shown = { '': { path, query: search, hash } }
    // The port comes in a second message of the parent, right behind the one that brought the page.
    this.#helper = new Promise((resolve) => {
      addEventListener('message', ({ source, ports: [port] }) => {
        if (source !== parent || !port) return
        port.onmessage = ({ data }: MessageEvent<HelperAnswer>) => this.#requests.answered(data)
        resolve(port)
      })
    })
  }

  start(): void {
    // What is in the frame cannot go to any host: no policy of a document stops it from navigating itself.
    const policy = document.createElement('meta')
    policy.httpEquiv = 'Content-Security-Policy'
    policy.content = 'frame-src blob:'
    document.head.append(policy)
    document.body.style.cssText = document.documentElement.style.cssText = 'margin:0;height:100%;overflow:hidden'
    addEventListener('message', ({ source, data }) => {
      if (data !== 'shell' || !source || source !== this.#frame?.contentWindow) return
      const port = sendScript(this.#frame.contentWindow, this.#message.siteScript ?? '')
      this.#attach('', '', port, this.#shown[''] ?? { path: '', query: '', hash: '' })
    })
    const [loaded] = performance.getEntriesByType('navigation')
    const isBack = loaded && 'type' in loaded && loaded.type === 'back_forward'
    this.#shown = (isBack && this.#shownIn(history.state)) || this.#shown
    this.#keep('replaceState')
    addEventListener('popstate', ({ state }) => this.#showAll(this.#shownIn(state)))
    this.#load()
  }

  #keep(how: 'pushState' | 'replaceState'): void {
    history[how]({ root: this.#root, shown: this.#shown } satisfies Entry, '')
  }

  #shownIn(entry: Entry | undefined): Shown | undefined {
    return entry?.root === this.#root ? entry.shown : undefined
  }

  async #ask(request: (id: number) => HelperRequest): Promise<HelperAnswer> {
    const port = await this.#helper
    return await this.#requests.ask((id) => port.postMessage(request(id)))
  }

  /** Begins with an empty document in place of the outermost, without an entry in the history. */
  #load(): void {
    const frame = document.createElement('iframe')
    frame.setAttribute('sandbox', 'allow-scripts allow-forms')
    frame.allowFullscreen = true
    frame.title = document.title
    frame.style.cssText = 'display:block;width:100%;height:100%;border:0'
    frame.src = shellUrl()
    for (const { port } of this.#documents.values()) port.close()
    this.#documents.clear()
    this.#frame = frame
    document.body.replaceChildren(frame)
  }

  /** Goes to what an entry of the history has. */
  #showAll(next: Shown | undefined): void {
    if (!next) return
    const changes = changesOf(this.#shown, next, (address) => this.#documents.get(address)?.first)
    this.#shown = next
    if (!this.#frame) this.#load()
    else for (const { address, to, isPage } of changes) this.#show(address, to, isPage)
  }

  #show(address: string, { hash }: Place, isPage: boolean): void {
    if (!isPage) this.#send(address, { scroll: hash })
    else if (address === '') this.#load()
    else {
      const [, outer = '', number] = /^(?:(.*)\.)?(\d+)$/.exec(address) ?? []
      this.#send(outer, { reload: Number(number) })
    }
  }

  #send(address: string, message: ToPage): void {
    this.#documents.get(address)?.port.postMessage(message)
  }

  /** Takes the document at an address, and writes its page into it. */
  #attach(address: string, name: string, port: MessagePort, first: Place, html?: string, page = 0): void {
    for (const [known, { port }] of this.#documents) {
      if (known !== address && !isBelow(known, address)) continue
      port.close()
      this.#documents.delete(known)
    }
    if (this.#documents.size >= MAX_DOCUMENTS) return
    const shown: PageDocument = { port, page, name, first }
    this.#documents.set(address, shown)
    port.onmessage = ({ data, ports: [inner] }: MessageEvent<FromPage>) => this.#told(address, shown, data, inner)
    const at = this.#shown[address] ?? first
    const write = async () =>
      html !== undefined && this.#shown[address] === undefined
        ? this.#html(html, at, 'utf-8')
        : await this.#read(address, shown, at)
    void write().then((written) => port.postMessage({ write: written } satisfies ToPage))
  }

  #told(address: string, shown: PageDocument, data: FromPage, inner: MessagePort | undefined): void {
    if ('paths' in data) void this.#sendFiles(shown, data.id, data.paths)
    else if ('written' in data) this.#answer({ written: true })
    else if ('failed' in data) this.#answer({ error: data.failed })
    else if ('open' in data && 'target' in data)
      this.#navigate(this.#targetOf(data.target, address), data.open, data.replaces)
    else if ('frame' in data && inner) {
      const at = address === '' ? String(data.frame) : `${address}.${data.frame}`
      const here = this.#shown[address] ?? shown.first
      this.#attach(at, data.name, inner, data.open ?? here, data.html, shown.page)
    } else if ('away' in data) this.#refuse()
    else if ('left' in data && address === '') {
      // Unless it was loaded anew, by its own script.
      setTimeout(() => this.#documents.get('') === shown && this.#refuse(), LEFT_MS)
    }
  }

  #navigate(address: string, to: Place, replaces = false): void {
    const before = this.#shown[address] ?? this.#documents.get(address)?.first
    const isPage = before?.path !== to.path || before.query !== to.query
    this.#shown = shownAfter(this.#shown, address, to, isPage)
    this.#keep(replaces ? 'replaceState' : 'pushState')
    this.#show(address, to, isPage)
  }

  /** The document that a link opens in: one of the site in any case, as there is no other window for it. */
  #targetOf(target: string, from: string): string {
    const outer = from.replace(/\.?\d+$/, '')
    if (target === '' || target === '_self') return from
    if (target === '_parent') return outer
    return [...this.#documents].find(([, { name }]) => name === target)?.[0] ?? ''
  }

  async #sendFiles({ port, page }: PageDocument, id: number, paths: readonly string[]): Promise<void> {
    const answer = await this.#ask((id) => ({ id, page, paths }))
    port.postMessage({ id, files: 'files' in answer ? answer.files : [] } satisfies ToPage)
  }

  async #read(address: string, shown: PageDocument, at: Place): Promise<WrittenPage> {
    const page = this.#given?.path === at.path ? this.#given : await this.#open(at.path)
    this.#given = undefined
    if (typeof page === 'string') return this.#html(page, at, 'utf-8')
    shown.page = page.number
    const kind = mediaKind(essenceOf(page.mediaType) ?? '')
    const { path, mediaType, bytes } = page
    if (kind !== 'html') return { ...this.#html('', at, 'utf-8'), file: { path, mediaType, bytes } }
    const { text, encoding } = decodePage(bytes, mediaType)
    // A link to a directory leads to a page in it.
    const here = { ...at, path }
    if (this.#shown[address] !== at) shown.first = here
    else {
      this.#shown = { ...this.#shown, [address]: here }
      this.#keep('replaceState')
    }
    return this.#html(text, here, encoding)
  }

  /** A page of the site, its 404.html in place of one that there is none of, or a sentence as HTML. */
  async #open(path: string): Promise<OpenedPage | string> {
    for (const open of [path, '404.html']) {
      const answer = await this.#ask((id) => ({ id, open }))
      if ('failed' in answer) return sentence(answer.failed)
      if ('opened' in answer && answer.opened) return answer.opened
    }
    return sentence('This site has nothing at this address.')
  }

  #html(text: string, here: Place, encoding: string): WrittenPage {
    return { text, here, encoding, complete: this.#message.complete ?? false }
  }

  /** Says that the site leads elsewhere, with the way back to where it was. */
  #refuse(): void {
    const text = document.createElement('p')
    const button = document.createElement('button')
    text.style.cssText = 'margin:1em;font:1em sans-serif'
    text.textContent = 'The site leads to another address here, which this page does not show. '
    button.textContent = 'Back to the site'
    button.addEventListener('click', () => this.#load())
    text.append(button)
    this.#frame = undefined
    this.#documents.clear()
    document.body.replaceChildren(text)
  }
}

function sentence(text: string): string {
  const element = document.createElement('p')
  element.style.cssText = 'font:1em sans-serif'
  element.textContent = text
  return `<!doctype html>${element.outerHTML}`
}
