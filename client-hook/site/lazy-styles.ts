import type { SiteFiles } from './site-files.ts'
import { addressOf } from './site-path.ts'
import { filesOf, withAddresses } from './style-text.ts'

/** Style rules that name files. */
interface Rule {
  selector: string
  media: readonly string[]
  paths: readonly string[]
}

/** Milliseconds between a change of the page and the look at its rules. */
const DELAY_MS = 50
const CHANGES = ['pointerover', 'focusin', 'resize', 'toggle']

/**
 * The files that the style sheets of a page name: each is loaded when a browser would load it. A picture is, once its rule
 * matches something in the page: style sheets have `var(--…)` in its place. A font is, once text uses it.
 */
export class LazyStyles {
  readonly #files: SiteFiles
  readonly #urlOf: (path: string) => string | undefined
  /** What stands for each file, with the fragment behind it. */
  readonly #properties = new Map<string, { path: string; hash: string; name: string }>()
  #rules: Rule[] = []
  #fonts: CSSFontFaceRule[] = []

  /** `urlOf`: the URL of a file that is loaded. */
  constructor(files: SiteFiles, urlOf: (path: string) => string | undefined) {
    this.#files = files
    this.#urlOf = urlOf
  }

  /** Takes the rules of a style sheet. */
  add(css: string, from: string, media = ''): void {
    const style = document.createElement('style')
    // Its rules are read only: they apply to nothing, and load nothing.
    style.media = 'not all'
    style.textContent = withAddresses(css, from)
    document.head.append(style)
    this.#take(style.sheet?.cssRules ?? [], media === '' ? [] : [media])
    style.remove()
  }

  /** What stands in a style sheet in place of a file that may not be loaded yet. */
  cssOf(path: string, hash: string): string {
    const key = path + hash
    const property = this.#properties.get(key) ?? { path, hash, name: `--hook-file-${this.#properties.size}` }
    this.#properties.set(key, property)
    return `var(${property.name},none)`
  }

  /** Loads what the page uses now, and later what it uses then. */
  async start(): Promise<void> {
    for (const rule of this.#fonts) this.#prepareFont(rule.style)
    this.#fonts = []
    await this.#look()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      if (timer !== undefined || this.#rules.length === 0) return
      timer = setTimeout(() => {
        timer = undefined
        void this.#look()
      }, DELAY_MS)
    }
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true })
    for (const name of CHANGES) addEventListener(name, look, { capture: true, passive: true })
  }

  #take(rules: Iterable<CSSRule>, media: readonly string[], parent?: string): void {
    for (const rule of rules) {
      if (rule instanceof CSSFontFaceRule) this.#fonts.push(rule)
      // Of a rule in another one, the outer selector is enough.
      const selector = parent ?? (rule instanceof CSSStyleRule ? rule.selectorText : undefined)
      if (rule instanceof CSSStyleRule || rule instanceof CSSKeyframeRule) {
        const paths = filesOf(rule.style.cssText, addressOf(''))
        if (paths.length > 0) this.#rules.push({ selector: elementsOf(selector ?? '*'), media, paths })
      }
      const inner = rule instanceof CSSMediaRule ? [...media, rule.conditionText] : media
      if ('cssRules' in rule && rule.cssRules instanceof CSSRuleList) this.#take(rule.cssRules, inner, selector)
    }
  }

  async #look(): Promise<void> {
    const due = this.#rules.filter(applies)
    this.#rules = this.#rules.filter((rule) => !due.includes(rule))
    const paths = due.flatMap((rule) => rule.paths)
    await this.#files.load(paths)
    for (const { path, hash, name } of this.#properties.values()) {
      const url = paths.includes(path) ? this.#urlOf(path) : undefined
      if (url) document.documentElement.style.setProperty(name, `url("${url}${hash}")`)
    }
  }

  /** A font that fails at its first use, and is replaced then. */
  #prepareFont(style: CSSStyleDeclaration): void {
    const value = (name: string) => style.getPropertyValue(name)
    const from = addressOf('')
    const source = value('src')
    const path = filesOf(source.replace(/url\("[^"]*"\)\s*format\(["']?(embedded-opentype|svg)["']?\)/g, ''), from)[0]
    const descriptors = Object.fromEntries(
      Object.entries(DESCRIPTORS).flatMap(([name, property]) => (value(property) ? [[name, value(property)]] : [])),
    )
    if (path === undefined) return
    const family = value('font-family').replaceAll(/^["']|["']$/g, '')
    const local = [...source.matchAll(/local\([^)]*\)/g)].map(String)
    const face = new FontFace(family, [...local, 'url("data:,")'].join(), descriptors)
    document.fonts.add(face)
    face.loaded.catch(async () => {
      await this.#files.load([path])
      const url = this.#urlOf(path)
      if (url === undefined) return
      document.fonts.add(new FontFace(family, `url("${url}")`, descriptors))
      document.fonts.delete(face)
    })
  }
}

const DESCRIPTORS = {
  style: 'font-style',
  weight: 'font-weight',
  stretch: 'font-stretch',
  unicodeRange: 'unicode-range',
  display: 'font-display',
  featureSettings: 'font-feature-settings',
}

/** A selector without its pseudo-elements. */
function elementsOf(selector: string): string {
  return selector.replace(/::[\w-]+(\([^)]*\))?|:(before|after|first-line|first-letter)\b/g, '') || '*'
}

function applies({ selector, media }: Rule): boolean {
  if (!media.every((condition) => matchMedia(condition).matches)) return false
  try {
    return document.querySelector(selector) !== null
  } catch {
    // What is left of a selector without its pseudo-elements may be none.
    return true
  }
}
