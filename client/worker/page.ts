import { FILLED, readReport } from './report-message.ts'
import { isBelow } from './route.ts'
import { parseSettings } from './settings.ts'

/**
 * What the worker's file does where a page has it as a classic script: it registers itself as the worker of the site, loads
 * anew what the page asked for before the worker ran, and tells of errors by `hook:error`. The attribute `data-scope` is the scope.
 */
export async function register(script: HTMLScriptElement): Promise<void> {
  try {
    const { serviceWorker } = navigator
    const settings = parseSettings(script.src)
    if (typeof settings === 'string') return warn(settings)
    if (new URL(script.src).origin !== location.origin)
      return warn(`${script.src} must be a file of this site: copy it to ${location.origin}.`)
    if (!serviceWorker) return warn('This browser has no service workers here; they need https.')
    serviceWorker.addEventListener('message', ({ data }) => tell(data))
    const wasControlled = serviceWorker.controller !== null
    const options = script.dataset.scope === undefined ? {} : { scope: script.dataset.scope }
    const { scope } = await serviceWorker.register(script.src, options)
    if (!location.href.startsWith(scope))
      return warn(`${script.src} serves pages below ${scope} only: put it there where this page can be below it.`)
    if (wasControlled) return
    const { active } = await serviceWorker.ready
    if (!serviceWorker.controller) {
      const controlled = new Promise((resolve) => {
        serviceWorker.addEventListener('controllerchange', resolve, { once: true })
      })
      active?.postMessage('claim')
      await controlled
    }
    loadAnew(scope)
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error))
  }
}

/** What the page has asked its server for, which does not have it. */
function loadAnew(scope: string): void {
  for (const element of document.querySelectorAll('img, video, audio, source, track, link[rel~=stylesheet]')) {
    const url = urlOf(element)
    if (!isBelow(scope, url)) continue
    // Firefox and WebKit fetch the same `href` no second time.
    if (element instanceof HTMLLinkElement) element.replaceWith(element.cloneNode())
    else if (element instanceof HTMLSourceElement) load(element.parentElement)
    else if (element instanceof HTMLImageElement || element instanceof HTMLTrackElement) element.src = url
    else load(element)
  }
}

function load(element: Element | null): void {
  if (element instanceof HTMLMediaElement) element.load()
}

/** Players that were told of what failed. They ask for it several times before they end. */
const told = new WeakSet<EventTarget>()

/** `hook:error` on each element that has the URL, else on the document, and a sentence on the console. */
function tell(data: unknown): void {
  const report = readReport(data)
  // hook.js tells it on the elements that it fills.
  if (!report || new URL(report.url).searchParams.has(FILLED)) return
  const error = Object.assign(new Error(report.message), { code: report.code })
  const elements = [...document.querySelectorAll('[src], [href]')].filter((element) => urlOf(element) === report.url)
  for (const target of elements.length > 0 ? elements : [document]) {
    if (told.has(target)) continue
    if (target instanceof HTMLMediaElement) {
      told.add(target)
      target.addEventListener('loadstart', () => told.delete(target), { once: true })
    }
    warn(`${report.url}: ${report.message}`)
    target.dispatchEvent(new CustomEvent('hook:error', { bubbles: true, detail: { error } }))
  }
}

function urlOf(element: Element): string {
  const url = element.getAttribute('src') ?? element.getAttribute('href') ?? ''
  return URL.canParse(url, document.baseURI) ? new URL(url, document.baseURI).href : ''
}

function warn(sentence: string): void {
  console.error(`hookline: ${sentence}`)
}
