/**
 * Follows in a site's windows the links that the sandbox around the shell does not: to a frame beside the link's, to the whole
 * window, which is here the outermost of the site, and to a file that is to be saved, for which browsers do not ask the worker.
 */
export function followLinks(site: Window): void {
  const { document } = site
  // In the capturing phase: this event does not bubble.
  document.addEventListener('load', ({ target }) => prepareFrame(target), true)
  for (const frame of document.querySelectorAll('iframe, frame')) prepareFrame(frame)
  // On the window, behind the site's own listeners.
  site.addEventListener('click', (event) => follow(event, site))
}

function prepareFrame(frame: unknown): void {
  try {
    // Of the realm of its own window.
    const inner: unknown = Reflect.get(Object(frame), 'contentWindow')
    if (isWindow(inner) && inner.document.readyState !== 'loading') followLinks(inner)
  } catch {
    // Of another host: its links are its own.
  }
}

function follow(event: MouseEvent, from: Window): void {
  const { button, ctrlKey, metaKey, shiftKey, altKey } = event
  if (event.defaultPrevented || button > 0 || ctrlKey || metaKey || shiftKey || altKey) return
  const element = event.composedPath().find(isLink)
  if (!element) return
  if (element.hasAttribute('download') && new URL(element.href).origin === location.origin) {
    event.preventDefault()
    void save(element.href, element.download, from)
    return
  }
  const target = targetOf(element.target || from.document.querySelector<HTMLBaseElement>('base[target]')?.target, from)
  if (!target || target === from) return
  event.preventDefault()
  target.location.href = element.href
}

function isWindow(value: unknown): value is Window {
  return typeof value === 'object' && value !== null && 'document' in value
}

/** Also of another realm than the shell's, and not in SVG, whose `href` is an object. */
function isLink(target: EventTarget): target is HTMLAnchorElement {
  return (
    'localName' in target &&
    /^a(rea)?$/.test(String(target.localName)) &&
    'href' in target &&
    typeof target.href === 'string'
  )
}

/** The window that a name means, if it is one of the site. */
function targetOf(name: string | undefined, from: Window): Window | undefined {
  const outermost = frames[0]
  if (!name || !outermost || /^_(self|blank)$/i.test(name)) return undefined
  if (/^_top$/i.test(name)) return outermost
  if (/^_parent$/i.test(name)) return from === outermost ? outermost : from.parent
  return windowNamed(name, outermost)
}

function windowNamed(name: string, among: Window): Window | undefined {
  try {
    if (among.name === name) return among
    for (let index = 0; index < among.length; index++) {
      const inner = among[index]
      const found = inner && windowNamed(name, inner)
      if (found) return found
    }
  } catch {
    // Of another host.
  }
  return undefined
}

async function save(url: string, name: string, from: Window): Promise<void> {
  const response = await from.fetch(url)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name || decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
