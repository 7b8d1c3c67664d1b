/** Stands for `noscript` while a page is parsed; in what is text to the parser it is found and removed again. */
const MARKED = /<(\/?)noframes data-hook-(noscript)/gi
const NOSCRIPT = /<(\/?)(noscript)(?=[\s/>])/gi

/**
 * The page as a browser parses it where scripts run. DOMParser parses as where none do, and so finds elements in `noscript`: it is
 * therefore given `noframes`, which the parser treats as it treats `noscript` otherwise (HTML, 13.2.6.4.4).
 */
export function parsePage(html: string): Document {
  const page = new DOMParser().parseFromString(html.replace(NOSCRIPT, '<$1noframes data-hook-$2'), 'text/html')
  for (const root of rootsOf(page)) restore(root)
  return page
}

/** A document or fragment with the contents of all of its templates. */
export function rootsOf(root: Document | DocumentFragment): (Document | DocumentFragment)[] {
  const templates = [...root.querySelectorAll('template')].filter((element) => element instanceof HTMLTemplateElement)
  return [root, ...templates.flatMap(({ content }) => rootsOf(content))]
}

function restore(root: Document | DocumentFragment): void {
  const owner = root instanceof Document ? root : root.ownerDocument
  for (const element of root.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      if (value.includes('data-hook-')) element.setAttribute(name, original(value))
    }
  }
  const walker = owner.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT)
  while (walker.nextNode()) {
    const { currentNode: node } = walker
    if (node.nodeValue?.includes('data-hook-')) node.nodeValue = original(node.nodeValue)
  }
  for (const element of root.querySelectorAll('noframes[data-hook-noscript]')) {
    const noscript = owner.createElement('noscript')
    for (const { name, value } of element.attributes) {
      if (name !== 'data-hook-noscript') noscript.setAttribute(name, value)
    }
    noscript.textContent = element.textContent
    element.replaceWith(noscript)
  }
}

function original(text: string): string {
  return text.replace(MARKED, '<$1$2')
}

/** The HTML of a page, to be written where scripts run: there `noscript` is text, which is written as it is. */
export function serializePage(page: Document): string {
  const texts: string[] = []
  const mark = `hook-noscript-${Math.random()}-`
  for (const noscript of rootsOf(page).flatMap((root) => [...root.querySelectorAll('noscript')])) {
    noscript.textContent = `${mark}${texts.push(noscript.textContent ?? '') - 1};`
  }
  // As it is written: others than that of HTML have modes of their own.
  const doctype = page.doctype ? new XMLSerializer().serializeToString(page.doctype) : ''
  const [start = '', ...parts] = page.documentElement.outerHTML.split(mark)
  return doctype + start + parts.map((part) => part.replace(/^(\d+);/, (_, at) => texts[Number(at)] ?? '')).join('')
}

/** The text of a page, and the encoding of its bytes; `mediaType` has the charset that is known already. */
export function decodePage(bytes: Uint8Array, mediaType: string): { text: string; encoding: string } {
  const label = /;\s*charset="?([^\s;"]+)/i.exec(mediaType)?.[1]
  if (label !== undefined) return decodeAs(bytes, label)
  // What is declared behind the first 1,024 bytes still counts, and else what browsers take (HTML, 13.2.3.2).
  const guessed = decodeAs(bytes, 'windows-1252')
  const late = parsePage(guessed.text).querySelector('meta[charset]')?.getAttribute('charset')
  return late ? decodeAs(bytes, late) : guessed
}

/** Text in the encoding of that label; UTF-8 where there is none of that label. */
export function decodeAs(bytes: Uint8Array, label: string): { text: string; encoding: string } {
  const decoder = decoderOf(label)
  return { text: decoder.decode(bytes), encoding: decoder.encoding }
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
