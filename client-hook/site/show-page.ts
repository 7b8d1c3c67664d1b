import { essenceOf, mediaKind } from '../media-type.ts'
import { PortRequests } from './ask-by-port.ts'
import { chooseSources } from './choose-sources.ts'
import { followPage } from './follow-page.ts'
import { LazyStyles } from './lazy-styles.ts'
import type { FromPage, ToPage, WrittenPage } from './messages.ts'
import { parsePage, rootsOf, serializePage } from './parse-page.ts'
import { type PageParts, referencesOf, referencesOfCss, rewriteSite } from './rewrite-site.ts'
import { sendScript, shellUrl } from './shell.ts'
import { SiteFiles } from './site-files.ts'
import { decode } from './site-path.ts'
import { SiteUrls, textOf } from './site-urls.ts'

/** The script of an empty document: writes the page that comes on `port` into it, with the files that it asks for there. */
export function showPage(port: MessagePort, siteScript: string): void {
  const requests = new PortRequests<Extract<ToPage, { id: number }>>()
  const tell = (message: FromPage, ports: Transferable[] = []) => port.postMessage(message, ports)
  const files = new SiteFiles(async (paths) => (await requests.ask((id) => tell({ id, paths }))).files)
  port.onmessage = ({ data }: MessageEvent<ToPage>) => {
    if ('id' in data) requests.answered(data)
    else if ('scroll' in data) scrollTo(data.scroll)
    else if ('reload' in data) reload(data.reload)
    else {
      const shown = data.write.file ? showFile(data.write.file) : writePage(data.write, files, tell, siteScript)
      shown.then(
        () => tell({ written: true }),
        (error) => tell({ failed: String(error) }),
      )
    }
  }
}

type Tell = (message: FromPage, ports?: Transferable[]) => void

async function writePage(written: WrittenPage, files: SiteFiles, tell: Tell, siteScript: string): Promise<void> {
  const { text, here, complete, encoding } = written
  const page = parsePage(text)
  if (!complete) await chooseSources(page)
  const styles = rootsOf(page).flatMap((root) => [...root.querySelectorAll('style')])
  let wanted = [
    ...referencesOf(page, here.path),
    ...styles.flatMap(({ textContent }) => referencesOfCss(textContent ?? '', here.path, complete)),
  ]
  for (;;) {
    const loaded = await files.load(wanted)
    if (loaded.length === 0) break
    wanted = loaded
      .filter(({ mediaType }) => mediaType.startsWith('text/css'))
      .flatMap((file) => referencesOfCss(textOf(file, encoding), file.path, complete))
  }
  const urls = new SiteUrls(files, encoding, (all) =>
    complete ? undefined : new LazyStyles(files, (to) => all.of(to)),
  )
  const parts = rewriteSite(page, here, urls)
  const html = serializePage(page)
  document.open()
  // Before the page: its frames may be there before it is whole.
  addEventListener('message', ({ source, data }) => {
    if (data === 'shell') startFrame(source, parts, tell, siteScript)
  })
  new MutationObserver(loadFrames).observe(document, { subtree: true, childList: true })
  document.write(html)
  document.close()
  loadFrames()
  followPage(here, parts, tell)
  scrollTo(here.hash)
  addEventListener('load', () => scrollTo(here.hash))
  await urls.lazy?.start()
}

/** Gives the frames of the page their empty documents. */
function loadFrames(): void {
  for (const frame of document.querySelectorAll('[data-hook-frame]:not([src])')) frame.setAttribute('src', shellUrl())
}

function frameOf(number: number): HTMLIFrameElement | HTMLFrameElement | undefined {
  const frame = document.querySelector(`[data-hook-frame="${number}"]`)
  return frame instanceof HTMLIFrameElement || frame instanceof HTMLFrameElement ? frame : undefined
}

/** Lets the document in a frame show what the frame names, or what a link led to. */
function startFrame(source: unknown, { frames }: PageParts, tell: Tell, siteScript: string): void {
  frames.forEach((inner, number) => {
    const frame = frameOf(number)
    if (!frame?.contentWindow || frame.contentWindow !== source) return
    tell({ frame: number, name: frame.name, ...inner }, [sendScript(frame.contentWindow, siteScript)])
  })
}

/** Without an entry in the history. */
function reload(number: number): void {
  frameOf(number)?.contentWindow?.location.replace(shellUrl())
}

function scrollTo(hash: string): void {
  if (hash === '') return
  const name = decode(hash.slice(1))
  const target = document.getElementById(name) ?? document.getElementsByName(name)[0]
  if (target) target.scrollIntoView()
  else if (/^(top)?$/i.test(name)) scroll(0, 0)
}

/** Shows a file that a link names, and that is no page. */
async function showFile({ mediaType, bytes }: NonNullable<WrittenPage['file']>): Promise<void> {
  const essence = essenceOf(mediaType) ?? ''
  const kind = mediaKind(essence)
  if (kind === 'text' || kind === 'html') {
    const text = document.createElement('pre')
    text.textContent = textOf({ path: '', mediaType, bytes }, 'utf-8')
    document.body.append(text)
    return
  }
  if (kind === 'other') {
    document.body.append(`A frame can't show ${essence}.`)
    return
  }
  const element = document.createElement(kind === 'image' ? 'img' : kind)
  if (element instanceof HTMLMediaElement) element.controls = true
  element.style.maxWidth = '100%'
  element.src = URL.createObjectURL(new Blob([bytes.slice()], { type: essence }))
  document.body.append(element)
}
